// Number of calls of operator new in this program so far.
#pragma once

namespace bench {

long allocations();

} // namespace bench
