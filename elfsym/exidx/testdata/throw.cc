// Throws and catches with the standard library linked in: entries with
// personality routines of their own, hundreds of them.
#include <map>
#include <stdexcept>
#include <string>

struct Reading {
    std::string name;
    ~Reading();
};

int destroyed;

Reading::~Reading() { destroyed++; }

__attribute__((noinline)) int sample(int n)
{
    Reading r{std::to_string(n)};
    if (n > 3)
        throw std::out_of_range(r.name);
    return n;
}

int main(int argc, char **)
{
    std::map<int, std::string> names;
    try {
        names[sample(argc)] = "x";
    } catch (const std::exception &e) {
        return e.what()[0];
    }
    return names.size() + destroyed;
}

extern "C" int getentropy(void *, unsigned) { return -1; }
