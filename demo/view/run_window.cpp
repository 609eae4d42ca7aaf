#include "view/run_window.hpp"

#include "app/interrupt.hpp"
#include "app/messages.hpp"
#include "view/viewer.hpp"

namespace twang::demo {

int run_window(const Options& options, const io::Scene& scene) {
    watch_for_interrupts();
    io::Result<std::unique_ptr<Viewer>> viewer = Viewer::open(options, scene);
    if (!viewer) return complain(viewer.error());
    while ((*viewer)->frame()) {
    }
    return (*viewer)->finish();
}

} // namespace twang::demo
