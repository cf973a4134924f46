// Plug-ins for plugin_test.cpp: with the version that the test's build gives, or with none.
#ifdef TEST_PLUGIN_INTERFACE
extern "C" [[gnu::visibility("default")]] const char polder_plugin_interface[];
const char polder_plugin_interface[] = TEST_PLUGIN_INTERFACE;
#endif

#ifdef TEST_PLUGIN_VERSION
extern "C" [[gnu::visibility("default")]] const char polder_plugin_version[];
const char polder_plugin_version[] = TEST_PLUGIN_VERSION;
#endif

extern "C" [[gnu::visibility("default")]] int polder_test_answer() {
  return 42;
}
