#include "view/panel.hpp"

#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cstdio>

#include "app/scenes.hpp"
#include "view/keys.hpp"

namespace twang::demo {
namespace {

constexpr float panel_width = 300;

// A drop-down list of all values of an enumeration, with the names that scene files use. Returns
// whether the value changed.
template <class T>
bool choose(const char* label, T last, T& value) {
    bool changed = false;
    if (!ImGui::BeginCombo(label, io::name(value))) return false;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        const T each = static_cast<T>(i);
        if (ImGui::Selectable(io::name(each), each == value) && each != value) {
            value = each;
            changed = true;
        }
    }
    ImGui::EndCombo();
    return changed;
}

// A slider for a double. Returns true when the user has released it with another value or, with
// while_moving, in every frame in which the value changes.
bool slide(const char* label, double& value, float low, float high, const char* format,
           bool while_moving, bool logarithmic = false) {
    auto number = static_cast<float>(value);
    const int flags = logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    const bool moved = ImGui::SliderFloat(label, &number, low, high, format, flags);
    if (moved) value = std::clamp(number, low, high);
    return while_moving ? moved : ImGui::IsItemDeactivatedAfterEdit();
}

void show_scene(Session& session, const std::vector<std::string>& scenes) {
    const io::Scene& scene = session.simulation.scene();
    if (ImGui::BeginCombo("scene", scene.name.c_str())) {
        for (const std::string& name : scenes) {
            if (ImGui::Selectable(name.c_str(), name == scene.name)) session.wanted_scene = name;
        }
        ImGui::EndCombo();
    }
    if (ImGui::Button(session.simulation.paused ? "go on" : "pause")) {
        session.simulation.paused = !session.simulation.paused;
    }
    ImGui::SameLine();
    if (ImGui::Button("step")) {
        session.simulation.paused = true;
        session.simulation.step();
    }
    ImGui::SameLine();
    if (ImGui::Button("reset")) {
        if (const auto error = session.simulation.reset()) session.notice = error->reason;
    }
    ImGui::SameLine();
    bool both = session.simulation.comparing();
    if (ImGui::Checkbox("beside Newton", &both)) set_comparing(session, both);
}

void show_solver(Simulation& simulation) {
    SolverDef& solver = simulation.scene().world.solver;
    const twang_solver before = solver.solver;
    bool changed = choose("solver", TWANG_SOLVER_STATIC, solver.solver);
    if (solver.solver != before) solver = default_solver(solver.solver);
    if (solver.solver == TWANG_SOLVER_LOCAL_GLOBAL) {
        changed |= choose("acceleration", TWANG_ACCELERATION_TWO_LEVEL, solver.acceleration);
    }
    if (io::has_integrator(solver.solver)) {
        changed |= choose("integrator", TWANG_BDF2, solver.integrator);
        if (solver.integrator == TWANG_BDF2)
            changed |= slide("num. damping", solver.numerical_damping, 0, 1, "%.2f", true);
    }
    changed |= ImGui::SliderInt("iterations", &solver.iterations, 1, 100, "%d",
                                ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    if (changed) simulation.apply_solver();
    WorldDef& world = simulation.scene().world;
    double ms = 1000 * world.time_step;
    if (slide("time step", ms, 1, 40, "%.1f ms", false)) simulation.apply_time_step();
    if (ImGui::IsItemEdited()) world.time_step = ms / 1000;
}

void show_forces(Session& session) {
    Simulation& simulation = session.simulation;
    io::Scene& scene = simulation.scene();
    bool needs_rebuild =
        slide("stiffness", scene.material.stiffness, 10, 1e5f, "%.0f N/m", false, true);
    needs_rebuild |= slide("damping", scene.world.damping, 0, 5, "%.2f 1/s", false);
    ImGui::SliderInt("workers", &scene.world.workers, 1, 16, "%d", ImGuiSliderFlags_AlwaysClamp);
    needs_rebuild |= ImGui::IsItemDeactivatedAfterEdit();
    if (needs_rebuild) {
        if (const auto error = simulation.rebuild()) session.notice = error->reason;
    }
    if (slide("gravity", scene.world.gravity.y, -20, 5, "%.1f m/s2", true))
        simulation.apply_gravity();
    float wind[3] = {static_cast<float>(scene.air.velocity.x),
                     static_cast<float>(scene.air.velocity.y),
                     static_cast<float>(scene.air.velocity.z)};
    if (ImGui::SliderFloat3("wind m/s", wind, -15, 15, "%.1f")) {
        scene.air.velocity = {wind[0], wind[1], wind[2]};
        simulation.apply_wind();
    }
    if (ImGui::Checkbox("wind blows", &simulation.windy)) simulation.apply_wind();
}

void show_times(const Run& run) {
    const twang_stage_ms& ms = run.report.ms;
    const std::pair<const char*, double> stages[] = {{"apply_changes", ms.apply_changes},
                                                     {"external_forces", ms.external_forces},
                                                     {"predict", ms.predict},
                                                     {"local_step", ms.local_step},
                                                     {"global_step", ms.global_step},
                                                     {"accelerate", ms.accelerate},
                                                     {"contact", ms.contact},
                                                     {"commit", ms.commit}};
    double longest = 0.1;
    for (const auto& [name, value] : stages) longest = std::max(longest, value);
    for (const auto& [name, value] : stages) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", value);
        ImGui::ProgressBar(static_cast<float>(value / longest), {150, 12}, text);
        ImGui::SameLine();
        ImGui::TextUnformatted(name);
    }
}

void show_plots(const Run& run) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f ms a step", run.ms.mean());
    const ImVec2 size = {ImGui::GetContentRegionAvail().x, 46};
    ImGui::PlotLines("##ms", run.ms.values(), Plot::length, run.ms.oldest(), text, 0, FLT_MAX,
                     size);
    std::vector<float> decades;
    for (const float residual : run.residuals) {
        decades.push_back(std::log10(std::max(residual, 1e-9f)));
    }
    std::snprintf(text, sizeof text, "log residual, %d iterations", run.report.iterations);
    ImGui::PlotLines("##residual", decades.data(), static_cast<int>(decades.size()), 0, text,
                     FLT_MAX, FLT_MAX, size);
    std::snprintf(text, sizeof text, "energy %.3g J",
                  run.report.kinetic_energy + run.report.elastic_energy);
    ImGui::PlotLines("##energy", run.energy.values(), Plot::length, run.energy.oldest(), text, 0,
                     FLT_MAX, size);
}

void show_panel(Session& session, const std::vector<std::string>& scenes, double rate) {
    const float height = ImGui::GetIO().DisplaySize.y;
    ImGui::SetNextWindowPos({10, 10}, ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize({panel_width, std::min(height - 20, 770.0f)}, ImGuiCond_FirstUseEver);
    ImGui::Begin("Twang");
    ImGui::PushItemWidth(-86);
    const Run& run = *session.simulation.runs()[0];
    ImGui::Text("%zu vertices, %zu springs, %.0f fps", run.seen.size() / 3, run.springs.size(),
                rate);
    show_scene(session, scenes);
    if (ImGui::CollapsingHeader("Solver", ImGuiTreeNodeFlags_DefaultOpen)) {
        show_solver(session.simulation);
    }
    if (ImGui::CollapsingHeader("Material and forces", ImGuiTreeNodeFlags_DefaultOpen)) {
        show_forces(session);
    }
    if (ImGui::CollapsingHeader("View")) {
        ImGui::Checkbox("springs by strain", &session.looks.springs);
        ImGui::Checkbox("contacts", &session.looks.contacts);
        ImGui::Checkbox("woven pattern", &session.looks.pattern);
    }
    if (ImGui::CollapsingHeader("Milliseconds by stage", ImGuiTreeNodeFlags_DefaultOpen)) {
        show_times(run);
    }
    if (ImGui::CollapsingHeader("Curves", ImGuiTreeNodeFlags_DefaultOpen)) show_plots(run);
    ImGui::PopItemWidth();
    ImGui::End();
}

void show_help(bool& open) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0.5f * screen.x, 0.5f * screen.y}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::Begin("Keys", &open, ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse);
    const auto line = [](const char* what, const char* does) {
        ImGui::TextColored({1.0f, 0.8f, 0.4f, 1.0f}, "%-16s", what);
        ImGui::SameLine();
        ImGui::TextUnformatted(does);
    };
    line("drag", "pull at what is under the mouse; beside it, turn the view");
    line("Ctrl + click", "pin a vertex where it is, or let it go");
    line("X + drag", "cut along the line");
    line("right drag", "move the view (Shift + drag does, too)");
    line("wheel", "nearer, farther");
    ImGui::Separator();
    for (const Key& key : keys()) line(key.label, key.help);
    std::string numbers;
    for (const char* scene : scenes_on_keys()) {
        numbers += (numbers.empty() ? "" : ", ") + std::string(scene);
    }
    line("1 ... 9", numbers.c_str());
    ImGui::End();
}

void draw_text(ImVec2 at, const std::string& text) {
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    list.AddText({at.x + 1, at.y + 1}, IM_COL32(255, 255, 255, 150), text.c_str());
    list.AddText(at, IM_COL32(30, 36, 48, 255), text.c_str());
}

// Draws the solver's name and its milliseconds per step above each run's body.
void show_labels(const Session& session) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    for (const auto& run : session.simulation.runs()) {
        Bounds bounds;
        for (std::size_t i = 0; i + 2 < run->seen.size(); i += 3) {
            bounds.include(point(&run->seen[i]) + run->offset);
        }
        Point above = bounds.middle();
        above.y = bounds.high.y;
        const Point seen = session.camera.seen_at(above, session.size.aspect());
        char text[96];
        std::snprintf(text, sizeof text, "%s: %.2f ms a step", io::name(run->solver.solver),
                      run->ms.mean());
        const ImVec2 size = ImGui::CalcTextSize(text);
        draw_text({0.5f * (1 + seen.x) * screen.x - 0.5f * size.x,
                   0.5f * (1 - seen.y) * screen.y - 2.2f * size.y},
                  text);
    }
}

void show_hints(const Session& session) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    std::string text =
        "drag to pull   Ctrl+click pins   X+drag cuts   Space pauses   1-9 scenes   H all keys";
    if (session.simulation.paused) text = "paused   N a step   Space goes on   R starts again";
    if (session.simulation.status() != TWANG_OK) {
        text = session.simulation.failure() + "   R starts again";
    } else if (!session.notice.empty()) {
        text = session.notice;
    }
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    draw_text({0.5f * (screen.x - size.x), screen.y - 2 * size.y}, text);
}

} // namespace

Panel::Panel(Window& window) : scenes_(shipped_scenes()) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // Dear ImGui saves no settings
    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 6;
    style.FrameRounding = style.GrabRounding = 3;
    style.WindowBorderSize = 0;
    style.Colors[ImGuiCol_WindowBg] = {0.09f, 0.11f, 0.14f, 0.88f};
    style.Colors[ImGuiCol_PlotLines] = {0.98f, 0.78f, 0.36f, 1.0f};
    style.Colors[ImGuiCol_PlotHistogram] = {0.20f, 0.46f, 0.60f, 1.0f};
    // true: installs callbacks that also call the window's own.
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

Panel::~Panel() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

bool Panel::takes(const Event& event) const {
    const ImGuiIO& io = ImGui::GetIO();
    switch (event.kind) {
    case Event::press:
    case Event::scroll: return io.WantCaptureMouse;
    case Event::key: return io.WantTextInput;
    case Event::move:
    case Event::release: break; // a drag that began in the scene also ends in the scene
    }
    return false;
}

void Panel::draw(Session& session, double frames_per_second) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    if (session.looks.panel) show_panel(session, scenes_, frames_per_second);
    if (session.looks.help) show_help(session.looks.help);
    if (session.simulation.comparing()) show_labels(session);
    show_hints(session);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace twang::demo
