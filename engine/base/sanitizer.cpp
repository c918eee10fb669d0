// What sanitized programs are not to report. The link option in cmake/rooms.cmake takes this file into each of them.
#if !defined(__has_feature)
#define __has_feature(feature) 0  // clang's way to ask; g++ defines __SANITIZE_ADDRESS__
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
// CLN makes a string when it is loaded and never frees it: every sanitized program would end with an error. UDUNITS loses the last name it
// read of a text that is no unit, some 10 bytes.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcln\nleak:libudunits2\n"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }  // standard error is tested
#endif
