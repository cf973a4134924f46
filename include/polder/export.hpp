// Visibility of the public C++ API: what carries POLDER_API is exported from libpolder, all else is hidden.
#pragma once

#define POLDER_API [[gnu::visibility("default")]]
