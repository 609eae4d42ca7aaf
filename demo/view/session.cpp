#include "view/session.hpp"

namespace twang::demo {

void reset_view(Session& session) {
    session.camera = OrbitCamera(
        session.view.value_or(session.simulation.scene().camera.value_or(io::Camera{})));
    if (session.simulation.comparing()) session.camera.zoom(1 / 1.6f);
}

void set_comparing(Session& session, bool both) {
    if (const auto error = session.simulation.compare(both)) {
        session.notice = error->reason;
    } else {
        reset_view(session);
    }
}

} // namespace twang::demo
