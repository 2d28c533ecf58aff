#define LIMIT 3
int main(void) { return LIMIT; }
#undef LIMIT
#define LATER 4
