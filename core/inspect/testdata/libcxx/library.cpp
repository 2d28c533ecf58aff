// What libc++'s headers expect of its library and is not in them.
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>

_LIBCPP_BEGIN_NAMESPACE_STD

[[noreturn]] void __libcpp_verbose_abort(const char *, ...)
#ifdef _LIBCPP_VERBOSE_ABORT_NOEXCEPT
    _LIBCPP_VERBOSE_ABORT_NOEXCEPT
#endif
{
  abort();
}
template class basic_string<char>;
template string &string::__assign_no_alias<true>(const char *, size_type);
template string &string::__assign_no_alias<false>(const char *, size_type);
__shared_count::~__shared_count() {}
__shared_weak_count::~__shared_weak_count() {}
void __shared_weak_count::__release_weak() noexcept {
  if (__shared_weak_owners_-- == 0) __on_zero_shared_weak();
}
const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept { return nullptr; }
size_t __next_prime(size_t n) {
  for (n |= 1;; n += 2) {
    size_t d = 3;
    while (d * d <= n && n % d != 0) d += 2;
    if (d * d > n) return n;
  }
}

_LIBCPP_END_NAMESPACE_STD

void *operator new(std::size_t n) { return malloc(n ? n : 1); }
void *operator new(std::size_t n, std::align_val_t a) { return memalign(static_cast<std::size_t>(a), n); }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, std::size_t) noexcept { free(p); }
void operator delete(void *p, std::align_val_t) noexcept { free(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { free(p); }
