/* What the index of this self-test names; it is never built. */
static const char *const rows[] = {"one is one", "two is two"};
