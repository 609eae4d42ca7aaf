/* The least a C program does with Twang: a pinned cloth falls. */
#include <stdio.h>

#include <twang/twang.h>

int main(void) {
    twang_cloth_def cloth;
    twang_world_def settings;
    twang_body_def instance;
    twang_model* model = NULL;
    twang_world* world = NULL;
    twang_body body;
    const uint32_t corner = 0;
    float lowest;
    int frame;

    twang_default_cloth(&cloth);
    cloth.columns = cloth.rows = 5;
    cloth.spacing = 0.1;
    twang_default_world(&settings);
    settings.workers = 1;
    twang_default_body(&instance);
    instance.pins = &corner;
    instance.pin_count = 1;

    if (twang_model_create_cloth(&cloth, &model) != TWANG_OK ||
        twang_world_create(&settings, &world) != TWANG_OK ||
        twang_body_create(world, model, &instance, &body) != TWANG_OK) {
        fprintf(stderr, "%s\n", twang_last_error());
        return 1;
    }
    for (frame = 0; frame < 30; ++frame) {
        if (twang_world_step(world) != TWANG_OK) {
            fprintf(stderr, "%s\n", twang_last_error());
            return 1;
        }
    }
    lowest = twang_body_positions(world, body)[3 * 24 + 1]; /* y of the corner across */
    printf("C: the free corner went from -0.4 m to %.2f m\n", lowest);
    twang_world_destroy(&world);
    twang_model_destroy(&model);
    return lowest < -0.45F ? 0 : 1;
}
