// The GLSL sources of the renderer's shaders. The code for lighting is shared by all of them.
#ifndef TWANG_DEMO_SHADERS_HPP
#define TWANG_DEMO_SHADERS_HPP

#include <string>

namespace twang::demo::shaders {

// Vertex shaders. Those of skins, rods and balls are used twice: for the camera and, with the
// uniform "casting" set, for the light's shadow map.
std::string skin_vertex();
std::string rod_vertex();
std::string ball_vertex();
std::string ground_vertex();
std::string backdrop_vertex();

// Fragment shaders.
std::string skin_fragment();
std::string coloured_fragment();            // rods and balls, with one colour per instance
std::string line_fragment();                // without lighting
std::string ground_fragment(bool shadowed); // shadowed: reads the shadow map
std::string backdrop_fragment();
std::string depth_fragment(); // for the shadow map

} // namespace twang::demo::shaders

#endif // TWANG_DEMO_SHADERS_HPP
