// How often this program has called operator new.
#pragma once

namespace bench {

long allocations();

} // namespace bench
