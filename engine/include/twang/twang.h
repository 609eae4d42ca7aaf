/* Twang: real-time mass-spring simulation by the local-global method.
 *
 * WHAT IT IS
 *   An implicit time step for springs, solved as a minimisation: BDF2, of second order, or implicit
 *   Euler. A matrix Q (inertia + springs + pins) is factored once; every iteration of every frame is then a parallel pass over the springs and one
 *   back-substitution (Liu, Bargteil, O'Brien, Kavan: Fast Simulation of Mass-Spring Systems,
 * 2013). Newton and other integrators work on the same bodies, to compare with.
 *
 * WHAT IT IS NOT
 *   It reads no files, prints nothing, draws nothing, keeps no global state and never looks at a
 *   clock to decide anything, a budget in milliseconds apart.
 *
 * STEP BY STEP
 *   1. twang_model_create_cloth / _mesh   a validated, immutable topology; share it between bodies
 *   2. twang_world_create                 time step, gravity, workers, default solver
 *   3. twang_body_create                  a moving instance of a model: Q is assembled and factored
 *   4. twang_body_pin ...                 queued; admitted at the start of the next step
 *   5. twang_world_step                   one time step for all bodies
 *   6. twang_body_positions               float xyz per vertex, ready for a vertex buffer
 *
 * RULES
 *   Units are SI: metres, kilograms, seconds, newtons. Every vector is (x, y, z); y is up by
 * custom. Every call returns a status. On an error the object is as it was before the call and
 *   twang_last_error() (per thread) says what was wrong, with the offending index.
 *   A world is for one thread at a time: a second one, or a callback, gets TWANG_BUSY.
 *   Different worlds are independent. Models may be shared between worlds and threads.
 *   The same calls give the same bits for any number of workers.
 *
 * Definition structs carry their defaults: in C++ as member initialisers, in C through the
 * twang_default_... functions.
 */
#ifndef TWANG_H
#define TWANG_H

#include <stddef.h>
#include <stdint.h>

#if defined(TWANG_SHARED) && defined(_WIN32)
#ifdef TWANG_BUILDING
#define TWANG_API __declspec(dllexport)
#else
#define TWANG_API __declspec(dllimport)
#endif
#elif defined(TWANG_SHARED)
#define TWANG_API __attribute__((visibility("default")))
#else
#define TWANG_API
#endif

#ifdef __cplusplus
#define TWANG_DEFAULT(value) = value
#define TWANG_INT : int /* what C passes for an enum is checked, so it must be readable */
extern "C" {
#else
#define TWANG_DEFAULT(value)
#define TWANG_INT
#endif

#define TWANG_VERSION_MAJOR 0
#define TWANG_VERSION_MINOR 1
#define TWANG_VERSION_PATCH 0

/* ---- Status ---------------------------------------------------------------------------------- */

/* name, what it means */
#define TWANG_STATUS_TABLE(X)                                                                 \
    X(OK, "no error")                                                                         \
    X(INVALID_ARGUMENT, "a null pointer, a foreign handle or an argument that means nothing") \
    X(STALE_HANDLE, "the handle's object was destroyed")                                      \
    X(NOT_FINITE, "a number is NaN or infinite")                                              \
    X(OUT_OF_RANGE, "a number is outside its legal range")                                    \
    X(INDEX_OUT_OF_RANGE, "an index points outside its array")                                \
    X(UNSUPPORTED, "this combination of solver, energy or build cannot do that")              \
    X(FACTOR_FAILED, "the matrix could not be factored")                                      \
    X(ILL_CONDITIONED, "the matrix was factored but its solutions cannot be trusted")         \
    X(DIVERGED, "a body became infinite or exploded; it was rolled back and disabled")        \
    X(NO_EQUILIBRIUM, "the static problem has no solution, or none was reached")              \
    X(OUT_OF_MEMORY, "an allocation failed")                                                  \
    X(TOO_LARGE, "a count exceeds what the engine can index")                                 \
    X(BUSY, "the world is stepping, or another thread is inside it")                          \
    X(BAD_SNAPSHOT, "the snapshot is truncated or corrupt")                                   \
    X(VERSION_MISMATCH, "the snapshot was made by another version")                           \
    X(MESH_MISMATCH, "the snapshot belongs to other models")                                  \
    X(INTERNAL, "a defect in Twang itself; please report it")

typedef enum twang_status TWANG_INT {
#define TWANG_STATUS_ENUM(name, text) TWANG_##name,
    TWANG_STATUS_TABLE(TWANG_STATUS_ENUM)
#undef TWANG_STATUS_ENUM
        TWANG_STATUS_COUNT
} twang_status;

/* "OUT_OF_RANGE" and the like; "?" for a number that is no status. */
TWANG_API const char* twang_status_name(twang_status status);
/* One sentence from the table above. */
TWANG_API const char* twang_status_text(twang_status status);
/* What went wrong in this thread's last failed call, with the index; "" before any failure. */
TWANG_API const char* twang_last_error(void);
/* For wrappers such as twang.hpp, which see mistakes that a call in C cannot contain: answers
 * TWANG_INVALID_ARGUMENT, and the text is the last error. */
TWANG_API twang_status twang_refuse(const char* reason);

/* ---- Plain values ---------------------------------------------------------------------------- */

typedef struct twang_vec3 {
    double x, y, z;
} twang_vec3;

/* A rotation: (axis * sin(angle / 2), cos(angle / 2)) times any number but 0. 0 0 0 1: none. */
typedef struct twang_quaternion {
    double x, y, z, w;
} twang_quaternion;

typedef enum twang_spring_kind TWANG_INT {
    TWANG_STRUCTURAL, /* along an edge of the mesh; counted in the stretch figures */
    TWANG_SHEAR,      /* across a quad */
    TWANG_BEND        /* from face to face across their common edge */
} twang_spring_kind;

typedef enum twang_energy TWANG_INT {
    TWANG_HOOKE, /* k/2 (l - r)^2 */
    TWANG_STVK   /* k/2 r^2 (l^2/r^2 - 1)^2; not for local-global; needs rest lengths above 0 */
} twang_energy;

typedef enum twang_solver TWANG_INT {
    TWANG_LOCAL_GLOBAL, /* the paper's loop on the constant factor of Q */
    TWANG_NEWTON,       /* projected Hessian, direct factorisation, line search: the reference */
    TWANG_NEWTON_CG,  /* the same, its systems solved by conjugate gradients over the factor of Q */
    TWANG_LINEAR,     /* linearly implicit Euler: one linear solve a step */
    TWANG_SYMPLECTIC, /* symplectic Euler: cheap, and explodes when stiff; pins are exact */
    TWANG_STATIC      /* each step jumps to equilibrium; velocities become 0 */
} twang_solver;

/* How local-global makes more of its iterations. All but plain watch the objective: an iteration
 * that lowers it by less than a plain one is sure to is replaced by the plain one. */
typedef enum twang_acceleration TWANG_INT {
    TWANG_PLAIN,     /* the paper's loop as it is */
    TWANG_CHEBYSHEV, /* weights for an assumed rate of convergence; least memory */
    TWANG_ANDERSON,  /* least squares over the last 5 corrections */
    TWANG_LBFGS,     /* quasi-Newton over the last 5 corrections, with Q as the first Hessian */
    TWANG_TWO_LEVEL  /* a Newton correction on a coarse grid in every iteration, lbfgs after the
                        third:  2 or 3 iterations move as the converged step does */
} twang_acceleration;

/* How local-global, newton and newton-cg go from one time to the next; the other solvers are
 * integrators of their own. Vertices that touch a collider are stepped by implicit Euler in any
 * case, and so are bodies with a pressure, bodies while they touch bodies, and all in a world with penalty
 * spheres: what pushes them is sudden, or stiff and behind by a step. */
typedef enum twang_integrator TWANG_INT {
    TWANG_IMPLICIT_EULER, /* first order: calm, and damped far beyond the springs' own motion */
    TWANG_BDF2 /* second order, from the last two states, at the same cost. A step of implicit Euler
                  begins it, also after positions or velocities were set or the time step changed.
                  A force that lasts for a step delivers 2/3 of its impulse in it, 2/9 in the next
                  and so on. */
} twang_integrator;

typedef enum twang_pin_method TWANG_INT {
    TWANG_PIN_PENALTY,    /* a stiff spring in Q; holds to 1e-6 of the body's size */
    TWANG_PIN_ELIMINATION /* exact: the vertex leaves the system */
} twang_pin_method;

/* How the factor of Q is stored for the global step. The state is double in any case. */
typedef enum twang_precision TWANG_INT {
    TWANG_FLOAT,  /* fastest while the factor fits into the cache */
    TWANG_DOUBLE, /* for systems too ill-conditioned for float */
    TWANG_HALF,   /* half the memory traffic; sums are still float. Float where half is too coarse,
                     as with hundreds of pins side by side: see twang_precomputation */
    TWANG_BEST    /* float; half where the factor outgrows the cache, double where float fails */
} twang_precision;

/* What the bits of a result depend on. */
typedef enum twang_arithmetic TWANG_INT {
    TWANG_FAST,    /* the machine's best instructions: the same bits on the same kind of machine */
    TWANG_PORTABLE /* plain double arithmetic: the same bits on every machine, with every compiler
                      and optimisation level; several times slower */
} twang_arithmetic;

#define TWANG_MEASURED (-1.0)      /* a rest length taken from the rest positions */
#define TWANG_SAME (-1.0)          /* kinetic_friction: as friction; end_radius: as radius */
#define TWANG_END 0xFFFFFFFFu      /* between the polygons or polylines in a list of indices */
#define TWANG_ALL_CORES 0x7FFFFFFF /* workers: one per core */
#define TWANG_BY_SHAPE (-1)   /* between_vertices: of boxes and meshes */
#define TWANG_BY_SIZE (-1)    /* refactor_delay: 12 steps and one more for every 200 vertices */
#define TWANG_WHEN_READY (-2) /* refactor_delay: as soon as it is there; depends on the machine */
#define TWANG_MAX_WORKERS 256

/* The host's memory for the large arrays: vertices, springs, factors and what steps work on, some
 * seven tenths of all. Smaller lists, and what the sparse library needs while it factors, come from
 * the C++ and C libraries. Blocks are aligned as asked; allocate returns NULL when there is no
 * more. Both may be called from the thread behind a world and from the host's jobs, and release as
 * long as a model or world lives. */
typedef struct twang_allocator {
    void* (*allocate)(void* user, size_t bytes, size_t alignment)TWANG_DEFAULT(NULL);
    void (*release)(void* user, void* memory, size_t bytes) TWANG_DEFAULT(NULL);
    void* user TWANG_DEFAULT(NULL);
} twang_allocator;

/* ---- Models ---------------------------------------------------------------------------------- */

/* An immutable spring network. Bodies keep it alive: destroy it as soon as you like. */
typedef struct twang_model twang_model;

/* A rectangular cloth of columns x rows vertices; vertex r * columns + c sits at
 * origin + spacing * (c * across + r * down). A single row or column is a thread, without shear and
 * bend springs. */
typedef struct twang_cloth_def {
    uint32_t columns TWANG_DEFAULT(33); /* >= 1 */
    uint32_t rows TWANG_DEFAULT(33);    /* >= 1 */
    double spacing TWANG_DEFAULT(0.03); /* m between neighbours, > 0 */
    double mass TWANG_DEFAULT(0.2); /* kg in all, > 0, spread by area; 0.1 ... 1 per m^2 is cloth */
    double stiffness TWANG_DEFAULT(1000.0); /* N/m of the springs to the next vertex, >= 0 */
    double shear TWANG_DEFAULT(1000.0);  /* N/m of both diagonals of a cell; 0: no such springs */
    double bend TWANG_DEFAULT(100.0);    /* N/m of the springs that skip a vertex; 0: none */
    twang_vec3 origin TWANG_DEFAULT({}); /* m; 0 0 0 */
    twang_vec3 across TWANG_DEFAULT((twang_vec3{1.0, 0.0, 0.0})); /* direction of a row */
    twang_vec3 down TWANG_DEFAULT((twang_vec3{0.0, -1.0, 0.0}));  /* direction of a column */
    twang_allocator allocator TWANG_DEFAULT({});                  /* both functions, or neither */
} twang_cloth_def;

typedef struct twang_spring_def {
    uint32_t a TWANG_DEFAULT(0); /* vertices */
    uint32_t b TWANG_DEFAULT(0);
    double stiffness TWANG_DEFAULT(1000.0);           /* N/m, >= 0 */
    double rest_length TWANG_DEFAULT(TWANG_MEASURED); /* m, >= 0, or TWANG_MEASURED */
    twang_spring_kind kind TWANG_DEFAULT(TWANG_STRUCTURAL);
} twang_spring_def;

/* Springs from faces, tetrahedra, polylines and an explicit list, in any mixture. Every side of a
 * face, edge of a tetrahedron and piece of a polyline is one spring; where two sources name the
 * same pair of vertices the explicit spring counts, then structural, shear, bend. All arrays are
 * copied. Indices count from 0. */
typedef struct twang_mesh_def {
    const double* positions TWANG_DEFAULT(NULL);   /* xyz per vertex, m: the rest shape */
    uint32_t vertex_count TWANG_DEFAULT(0);        /* >= 1 */
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each */
    uint32_t triangle_count TWANG_DEFAULT(0);
    const uint32_t* quads TWANG_DEFAULT(NULL); /* 4 indices each, in order around the face */
    uint32_t quad_count TWANG_DEFAULT(0);
    const uint32_t* polygons
        TWANG_DEFAULT(NULL); /* faces of any size >= 3; TWANG_END between them */
    uint32_t polygon_index_count TWANG_DEFAULT(0);
    const uint32_t* tetrahedra TWANG_DEFAULT(NULL); /* 4 indices each */
    uint32_t tetrahedron_count TWANG_DEFAULT(0);
    const uint32_t* polylines TWANG_DEFAULT(NULL); /* TWANG_END between the lines */
    uint32_t polyline_index_count TWANG_DEFAULT(0);
    const twang_spring_def* springs TWANG_DEFAULT(NULL);
    uint32_t spring_count TWANG_DEFAULT(0);
    double stiffness TWANG_DEFAULT(1000.0); /* N/m of derived structural springs, >= 0 */
    double shear TWANG_DEFAULT(0.0);        /* N/m of both diagonals of every quad; 0: none */
    double bend TWANG_DEFAULT(0.0);         /* N/m across every inner edge of faces; 0: none */
    /* Masses, by the first of these that is given: */
    const double* masses TWANG_DEFAULT(NULL); /* kg per vertex, > 0 */
    double density
        TWANG_DEFAULT(0.0); /* kg per m^3 of tetrahedra, m^2 of faces, m of lines; 0: unset */
    double mass TWANG_DEFAULT(1.0); /* kg in all, spread as by a density (evenly where there is none
                                       to measure), > 0 */
    twang_allocator allocator TWANG_DEFAULT({}); /* both functions, or neither */
} twang_mesh_def;

/* What a mesh held that was not used as it stands. */
typedef struct twang_model_notes {
    uint32_t self_edges;        /* dropped */
    uint32_t duplicate_edges;   /* pairs listed again in springs or polylines: merged */
    uint32_t degenerate_faces;  /* triangles, quads, tetrahedra with a repeated vertex: dropped */
    uint32_t isolated_vertices; /* touched by no spring: kept; with no area of their own, they get
                                   the mean mass */
} twang_model_notes;

typedef struct twang_model_info {
    uint32_t vertices;
    uint32_t springs;
    uint32_t triangles; /* for drawing and wind: faces, quads split in two; without any, the skin
                           of the tetrahedra */
    double mass;        /* kg in all */
    double size;        /* m: the diagonal of the rest shape's bounding box */
    double order_ms;    /* time spent on the fill-reducing ordering */
    double volume;      /* m^3 that the triangles enclose at rest; 0: they do not */
    twang_model_notes notes;
} twang_model_info;

TWANG_API twang_status twang_default_cloth(twang_cloth_def* def);
TWANG_API twang_status twang_default_mesh(twang_mesh_def* def);
TWANG_API twang_status twang_default_spring(twang_spring_def* def);
TWANG_API twang_status twang_model_create_cloth(const twang_cloth_def* def, twang_model** model);
TWANG_API twang_status twang_model_create_mesh(const twang_mesh_def* def, twang_model** model);
/* Lets go of the model and sets *model to NULL. */
TWANG_API twang_status twang_model_destroy(twang_model** model);
TWANG_API twang_status twang_model_get_info(const twang_model* model, twang_model_info* info);
/* Copies, `count` elements each, which must be the model's own count. */
TWANG_API twang_status twang_model_copy_springs(const twang_model* model, twang_spring_def* springs,
                                                size_t count);
TWANG_API twang_status twang_model_copy_triangles(const twang_model* model, uint32_t* indices,
                                                  size_t index_count);
TWANG_API twang_status twang_model_copy_masses(const twang_model* model, double* masses,
                                               size_t count);
TWANG_API twang_status twang_model_copy_rest_positions(const twang_model* model, double* xyz,
                                                       size_t vertex_count);

/* ---- Worlds ---------------------------------------------------------------------------------- */

typedef struct twang_world twang_world;

/* Handles: plain values, checked at every use. A zeroed handle is never valid. */
typedef struct twang_body {
    uint32_t world, index, generation;
} twang_body;
typedef struct twang_collider {
    uint32_t world, index, generation;
} twang_collider;

/* How a body is solved. twang_default_solver gives each solver's own iterations and tolerance. */
typedef struct twang_solver_def {
    twang_solver solver TWANG_DEFAULT(TWANG_LOCAL_GLOBAL);
    int32_t iterations
        TWANG_DEFAULT(10); /* at most so many a substep, >= 1; 2 ... 50 for local-global */
    double tolerance TWANG_DEFAULT(0.0); /* m/s, >= 0: stop when in one iteration no vertex moves
                                            farther than tolerance * time step; 0: never */
    twang_acceleration acceleration TWANG_DEFAULT(TWANG_TWO_LEVEL); /* of local-global */
    double budget_ms TWANG_DEFAULT(0.0); /* >= 0: start no iteration that would end later than this
                                            after the step began, but do one; 0: no limit. Results
                                            then depend on the machine's speed and load. */
    twang_integrator integrator TWANG_DEFAULT(TWANG_BDF2); /* a change waits for its factor of Q,
                                                              see refactor_delay */
    double numerical_damping TWANG_DEFAULT(0.0); /* 0 ... 1, of BDF2: its own, which is small, up to
                                                    that of implicit Euler; changes at once */
} twang_solver_def;

/* A progress report from inside a step, on the caller's thread; calls into the world answer BUSY.
 */
typedef struct twang_iteration {
    twang_body body;
    int32_t iteration; /* from 0 */
    double objective;  /* J: g at the start of this iteration */
    double residual;   /* m/s: largest move of a vertex in this iteration / time step */
} twang_iteration;
typedef void (*twang_iteration_callback)(void* user, const twang_iteration* iteration);

/* The host's own job system, in the place of threads of the world's. Both functions are called on
 * the thread that has called into the world, and never after the world is destroyed.
 *
 * submit sees to it that job(data, index) runs once for every index below count, at any time from
 * now on, on any thread and in any order, and returns a ticket.
 *
 * wait returns when all of that ticket's jobs have run, and is called once for every ticket. It may
 * run them itself (but where nobody else does, TWANG_WHEN_READY is never ready).
 *
 * Jobs that share a step's work are not waited for before they have begun: the step goes on without
 * their help, and their ticket is waited for when they have run, in a later step or in the end.
 * A job that comes late helps with what is done then, or finds nothing to do.
 *
 * Jobs do not wait for each other and do not throw. Most take microseconds; making another factor
 * of Q is one job that takes up to seconds, and is not waited for until it is due. */
typedef void (*twang_job)(void* data, int32_t index);
typedef struct twang_job_system {
    void* (*submit)(void* user, twang_job job, void* data, int32_t count)TWANG_DEFAULT(NULL);
    void (*wait)(void* user, void* ticket) TWANG_DEFAULT(NULL);
    void* user TWANG_DEFAULT(NULL);
} twang_job_system;

typedef struct twang_world_def {
    double time_step TWANG_DEFAULT(1.0 / 60.0); /* s, > 0, <= 1e6; 1/240 ... 1/30 */
    twang_vec3 gravity TWANG_DEFAULT((twang_vec3{0.0, -9.8, 0.0})); /* m/s^2 */
    int32_t workers TWANG_DEFAULT(TWANG_ALL_CORES); /* threads in all; 1: only the caller's
                                                       (and one behind it, mostly asleep, see
                                                       refactor_delay); 0: really no other */
    twang_solver_def solver TWANG_DEFAULT({});      /* for bodies that bring none of their own */
    twang_pin_method pin_method TWANG_DEFAULT(TWANG_PIN_PENALTY);
    twang_precision precision TWANG_DEFAULT(TWANG_BEST);
    twang_arithmetic arithmetic TWANG_DEFAULT(TWANG_FAST);
    double damping TWANG_DEFAULT(0.0); /* 1/s, >= 0: velocity decays as exp(-damping t); 0 ... 2 */
    int32_t max_catch_up TWANG_DEFAULT(4); /* steps one twang_world_advance may take, >= 1 */
    /* Torn and rescaled springs, another time step and many changed pins need another factor of Q.
     * It is made by a thread behind the world and taken so many steps later, whatever the machine:
     * results can be repeated, and only if it is not ready by then does the step wait for it.
     * 0: made inside the step at once. With 0 workers it is made in the step in which it is due. */
    int32_t refactor_delay TWANG_DEFAULT(TWANG_BY_SIZE);
    /* Both functions, or neither. `workers` is then one more than the jobs that help at a time. */
    twang_job_system jobs TWANG_DEFAULT({});
    twang_allocator allocator TWANG_DEFAULT({}); /* both functions, or neither */
    /* A step is done as so many of time_step / substeps, 1 ... 1000; Q, iterations and budget are
     * those of a substep. Pins and colliders move evenly and arrive in the last. More substeps
     * dissipate less. */
    int32_t substeps TWANG_DEFAULT(1);
    /* A body whose mean speed was below sleep_speed (m/s, >= 0; 0.001 ... 0.01) for sleep_steps
     * steps in a row (>= 1) is left out of steps until a pin, force or setting of its own or of the
     * world that changes, or a collider that moves near it wakes it (set to what it is, nothing
     * wakes); where the air has gusts nothing with triangles sleeps. 0: never, as by default,
     * because what sleeps does not settle any further. */
    double sleep_speed TWANG_DEFAULT(0.0);
    int32_t sleep_steps TWANG_DEFAULT(30);
} twang_world_def;

/* Air on the triangles of all bodies. Where it meets a triangle with speed s along the unit normal
 * n, the force is area * s * (drag * n + lift * m), m being the part of n across the relative wind:
 * drag presses, lift carries sails and wings sideways and takes no power from the air. Whatever
 * drag and lift, in a step the air carries vertices along with it at most: from about (drag + lift)
 * * area * time step = mass on, a body just goes with the wind. Gusts are
 * smooth random velocities that change from place to place and with the time; the same seed gives
 * the same gusts, bit by bit. */
typedef struct twang_air_def {
    twang_vec3 velocity TWANG_DEFAULT({});  /* m/s, the mean; 0 0 0 */
    double drag TWANG_DEFAULT(1.0);         /* kg/(m^2 s), >= 0; about 1 */
    double lift TWANG_DEFAULT(0.0);         /* kg/(m^2 s), >= 0; 0 ... drag */
    double gusts TWANG_DEFAULT(0.0);        /* m/s along each axis at most, >= 0; 0: steady wind */
    double gust_seconds TWANG_DEFAULT(1.0); /* s from one gust to the next, >= 1e-6; 0.3 ... 5 */
    double gust_metres TWANG_DEFAULT(1.0);  /* m from one gust to the next, >= 1e-6; 0.5 ... 10 */
    uint64_t gust_seed TWANG_DEFAULT(0);
} twang_air_def;

/* Milliseconds of one step by stage, in the order of the frame. */
typedef struct twang_stage_ms {
    double admit;      /* queued pins and settings; refactors Q where they need it */
    double push;       /* gravity, wind, user forces */
    double predict;    /* the inertial target and the first guess */
    double project;    /* springs: gradient, energy, Hessians */
    double solve;      /* linear systems */
    double accelerate; /* line search, convergence test */
    double collide;    /* contact and friction; of what bodies do to bodies, a share by vertices */
    double commit;     /* velocities, finite check, copy out */
} twang_stage_ms;

typedef struct twang_report {
    twang_status status;       /* DIVERGED and the like; stays until twang_body_reset */
    int32_t enabled;           /* 0: disabled after a failure */
    int32_t asleep;            /* 1: left out of steps, see sleep_speed; of a world: all bodies */
    uint64_t steps;            /* taken since creation; none while asleep */
    int32_t iterations;        /* of the last step; of all its substeps and of solving it again */
    int32_t inner_iterations;  /* conjugate gradient iterations of the last step */
    int32_t rejected_steps;    /* accelerated steps that would have raised the objective */
    int32_t projected_systems; /* linear: 1 when the Hessian was not positive definite */
    int32_t converged;         /* 1: the tolerance was met */
    double residual;           /* m/s: largest move in the last iteration / time step */
    double
        error_estimate; /* m: how far the farthest vertex may still be from the solution, if moves
                           go on shrinking as they did; infinite while they do not shrink. Good
                           to a factor of 3 for plain local-global; only a lower bound for the
                           accelerated methods, whose moves may be short far from the solution */
    double kinetic_energy;  /* J, after the step */
    double elastic_energy;  /* J, after the step */
    int32_t contacts;       /* vertices that a collider pushed in the last step, and those that
                               touched others as balls */
    double max_penetration; /* m: how deep the deepest vertex is in a collider after the step */
    twang_stage_ms ms;
    double total_ms;
} twang_report;

TWANG_API twang_status twang_default_solver(twang_solver solver, twang_solver_def* def);
TWANG_API twang_status twang_default_world(twang_world_def* def);
TWANG_API twang_status twang_world_create(const twang_world_def* def, twang_world** world);
/* Destroys the world with its bodies and sets *world to NULL. */
TWANG_API twang_status twang_world_destroy(twang_world** world);

/* One time step for every body. DIVERGED, NO_EQUILIBRIUM, or, where another factor is taken,
 * FACTOR_FAILED or ILL_CONDITIONED (float may be too coarse for it), when a body failed in this
 * step (see its report); the others have moved all the same. */
TWANG_API twang_status twang_world_step(twang_world* world);
/* As many whole steps as fit in `seconds` plus what was left over before, at most max_catch_up;
 * what does not fit in those is dropped. Pins, grabs and colliders reach their targets in the last
 * of these steps, moving evenly. Either pointer may be NULL. */
TWANG_API twang_status twang_world_advance(twang_world* world, double seconds, int32_t* steps,
                                           double* dropped_seconds);

/* Velocities are kept. The new time step needs other factors of Q: they are made in the background
 * and it is taken refactor_delay steps later; until then steps are as long as before. If another
 * one is asked for meanwhile, its factors are made after that. */
TWANG_API twang_status twang_world_set_time_step(twang_world* world, double seconds);
TWANG_API twang_status twang_world_set_gravity(twang_world* world, twang_vec3 gravity);
/* As in twang_world_def; from the next step on. */
TWANG_API twang_status twang_world_set_damping(twang_world* world, double damping);
/* Air moving at `velocity` (m/s) presses on the triangles of all bodies: force = drag * area *
 * (relative velocity along the normal). drag in kg/(m^2 s), >= 0; about 1; 0 turns it off. Short
 * for twang_world_set_air with the rest at its defaults: no lift, no gusts. */
TWANG_API twang_status twang_world_set_wind(twang_world* world, twang_vec3 velocity, double drag);
TWANG_API twang_status twang_default_air(twang_air_def* def);
TWANG_API twang_status twang_world_set_air(twang_world* world, const twang_air_def* air);
/* For all bodies there are, and for those to come. */
TWANG_API twang_status twang_world_set_solver(twang_world* world, const twang_solver_def* solver);
TWANG_API twang_status twang_world_set_iteration_callback(twang_world* world,
                                                          twang_iteration_callback callback,
                                                          void* user);
/* s: the sum of all steps taken. */
TWANG_API twang_status twang_world_get_time(const twang_world* world, double* seconds);
/* Of the next step. Where another one is on its way with its factor: of the last, until a step has
 * taken it. */
TWANG_API twang_status twang_world_get_time_step(const twang_world* world, double* seconds);
/* Sums over bodies; the worst residual and status. */
TWANG_API twang_status twang_world_get_report(const twang_world* world, twang_report* report);

/* Of the positions and velocities of all bodies: equal where the simulation is. */
TWANG_API twang_status twang_world_get_hash(const twang_world* world, uint64_t* hash);

/* Snapshots of all that steps change or calls change between steps, for the same world or one that
 * was built by the same calls (with any number of workers): restored, it goes on with the same
 * bits, also in the middle of a change of factors. Settings of the solver are not in it. Grabs made
 * since are gone, and their handles are given out again: the same calls get the same ones. Its size
 * depends on what the bodies went through. A buffer to save to may be larger; restoring needs the
 * exact number of bytes, and checks everything before it changes anything:
 * MESH_MISMATCH for other models, and for worlds, bodies or colliders of other definitions. */
TWANG_API twang_status twang_world_snapshot_size(const twang_world* world, size_t* bytes);
TWANG_API twang_status twang_world_save(const twang_world* world, void* buffer, size_t bytes);
TWANG_API twang_status twang_world_restore(twang_world* world, const void* buffer, size_t bytes);

/* ---- Bodies ---------------------------------------------------------------------------------- */

typedef struct twang_body_def {
    twang_energy energy TWANG_DEFAULT(TWANG_HOOKE);
    const uint32_t* pins TWANG_DEFAULT(NULL); /* vertices pinned where they are, from the start */
    uint32_t pin_count TWANG_DEFAULT(0);
    const double* positions TWANG_DEFAULT(NULL);  /* xyz per vertex, m; NULL: the rest shape */
    const double* velocities TWANG_DEFAULT(NULL); /* xyz per vertex, m/s; NULL: at rest */
    const twang_solver_def* solver TWANG_DEFAULT(NULL); /* NULL: the world's */
    /* Vertices as balls that keep off each other and off those of other bodies; pairs that a spring
     * joins, or that are no farther apart at rest, are left alone until that spring breaks. They
     * are moved apart after each substep, with any solver, also when they went through each other
     * at up to 2.5 radii a substep. A single ball of up to 40 times the mass of a vertex is held
     * by a cloth at 2 m/s in steps of 1/60 s; heavier or faster ones may pass between its vertices,
     * at 0.65 of an edge later than at half of one: take substeps. Balls of half an edge sit in
     * each other's gaps, so that layers slide less than friction says; wider ones are smoother.
     * Sheets that meet edge to edge bounce. What lies still on an edge or a ball goes on moving by
     * some mm/s. */
    double particle_radius TWANG_DEFAULT(0.0);   /* m, >= 0; 0: off; 0.5 ... 0.9 of an edge */
    double particle_friction TWANG_DEFAULT(0.3); /* Coulomb's mu, >= 0; of two, the smaller */
} twang_body_def;

/* What the precomputation of a body's system found and cost. */
typedef struct twang_precomputation {
    uint32_t n;          /* rows of Q: one per vertex, eliminated ones included */
    uint64_t q_nonzeros; /* in the lower triangle with the diagonal */
    uint64_t l_nonzeros; /* in the factor */
    uint64_t bytes;      /* held by the factor */
    double order_ms;     /* fill-reducing ordering, once per model */
    double assemble_ms;
    double factor_ms;
    double pack_ms;            /* repacking the factor for speed */
    twang_precision precision; /* as stored */
    int32_t shared_by;         /* bodies that use this very factor */
    int32_t factorings;        /* how often this body's system has been factored or fetched */
} twang_precomputation;

typedef struct twang_measures {
    double kinetic_energy, elastic_energy; /* J */
    double max_stretch, mean_stretch;      /* |l/r - 1| over structural springs with r > 0 */
    double mean_speed;                     /* m/s over vertices */
    twang_vec3 centre;                     /* m: centre of mass */
    twang_vec3 momentum;                   /* kg m/s */
    uint64_t state_hash;                   /* of all that the next step goes on from */
} twang_measures;

TWANG_API twang_status twang_default_body(twang_body_def* def);
/* Assembles and factors Q; shares the factor with bodies of the same model, pins and time step. */
TWANG_API twang_status twang_body_create(twang_world* world, const twang_model* model,
                                         const twang_body_def* def, twang_body* body);
TWANG_API twang_status twang_body_destroy(twang_world* world, twang_body body);

/* Pins hold a vertex at a target. A vertex may be pinned again, which moves its target. */
TWANG_API twang_status twang_body_pin(twang_world* world, twang_body body, uint32_t vertex);
TWANG_API twang_status twang_body_pin_at(twang_world* world, twang_body body, uint32_t vertex,
                                         twang_vec3 target);
TWANG_API twang_status twang_body_unpin(twang_world* world, twang_body body, uint32_t vertex);
/* 1 when the vertex is, or at the next step will be, pinned. */
TWANG_API twang_status twang_body_is_pinned(const twang_world* world, twang_body body,
                                            uint32_t vertex, int32_t* pinned);

/* The targets of many pins at once, say those that hang on bones: as pin_at for each vertex, all or
 * none. Where all of them are pinned already, this costs the copying. */
TWANG_API twang_status twang_body_set_pin_targets(twang_world* world, twang_body body,
                                                  const uint32_t* vertices, const double* xyz,
                                                  size_t count);

/* Adds to the force (N) on a vertex for the next step only. */
TWANG_API twang_status twang_body_add_force(twang_world* world, twang_body body, uint32_t vertex,
                                            twang_vec3 force);
/* The same for all vertices at once: xyz per vertex, N. */
TWANG_API twang_status twang_body_add_forces(twang_world* world, twang_body body, const double* xyz,
                                             size_t vertex_count);
/* Changes the velocity of a vertex at once, by impulse (N s) / mass. Pinned vertices stay put. */
TWANG_API twang_status twang_body_add_impulse(twang_world* world, twang_body body, uint32_t vertex,
                                              twang_vec3 impulse);
/* How much of the world's gravity the body feels; any finite number. 1: all, as by default; 0: it
 * floats; below 0: it rises like a balloon. */
TWANG_API twang_status twang_body_set_gravity_scale(twang_world* world, twang_body body,
                                                    double scale);
/* Gas inside a body whose triangles enclose a volume (see twang_model_info; else UNSUPPORTED).
 * `pascals` is its pressure above the air around while the volume is that of the rest shape, >= 0;
 * 10 ... 1000 for toys; 0: none. Pressure times volume stays the same: it falls as the body grows,
 * and rises, up to 16 times, as it is squeezed. Stable while the springs hold the gas, that is are
 * stretched to less than about twice their length. Once a triangle is torn, the gas gets out, to
 * 1/e in 0.02 s, and such a body holds none until it is reset. */
TWANG_API twang_status twang_body_set_pressure(twang_world* world, twang_body body, double pascals);
/* Structural springs longer than 1 + max_strain of their rest length are shortened towards that at
 * the end of each step, pass by pass; a pass costs a fraction of a local-global iteration and
 * reaches one more row of vertices. max_strain > 0; 0.02 ... 0.2; 0: no limit, as by default.
 * passes 1 ... 1000; about 10. */
TWANG_API twang_status twang_body_set_max_strain(twang_world* world, twang_body body,
                                                 double max_strain, int32_t passes);
TWANG_API twang_status twang_body_set_solver(twang_world* world, twang_body body,
                                             const twang_solver_def* solver);
/* As in twang_body_def; radius 0 turns it off. */
TWANG_API twang_status twang_body_set_particles(twang_world* world, twang_body body, double radius,
                                                double friction);
TWANG_API twang_status twang_body_set_positions(twang_world* world, twang_body body,
                                                const double* xyz, size_t vertex_count);
TWANG_API twang_status twang_body_set_velocities(twang_world* world, twang_body body,
                                                 const double* xyz, size_t vertex_count);
/* Turns the body about `pivot`, then moves it by `translation` (m): its shape, its velocities and
 * the targets of its pins and grabs go along. No velocity comes from the jump, and none of it is
 * drawn. */
TWANG_API twang_status twang_body_teleport(twang_world* world, twang_body body,
                                           twang_quaternion rotation, twang_vec3 pivot,
                                           twang_vec3 translation);
/* A body that sleeps (see sleep_speed) goes on with the next step. */
TWANG_API twang_status twang_body_wake(twang_world* world, twang_body body);
/* Stops a body where it is, and leaves it out of steps until something wakes it, as if it had come
 * to rest by itself; also where sleep_speed is 0. */
TWANG_API twang_status twang_body_sleep(twang_world* world, twang_body body);
/* Back to the state, and the pins, it was created with: springs are whole and as the model has
 * them, grabs are let go, gas that got out is back. What was set stays: solver, gravity scale,
 * pressure, limits to strain and tearing, particles. Enables it again after a failure. */
TWANG_API twang_status twang_body_reset(twang_world* world, twang_body body);

/* Contiguous float xyz, one per vertex, in the order of the model. The address stays the same while
 * the body lives; the content changes with each step. NULL for a bad handle. */
TWANG_API const float* twang_body_positions(const twang_world* world, twang_body body);
TWANG_API const float* twang_body_velocities(const twang_world* world, twang_body body);
TWANG_API twang_status twang_body_vertex_count(const twang_world* world, twang_body body,
                                               uint32_t* count);
/* The same in full precision. */
TWANG_API twang_status twang_body_copy_positions(const twang_world* world, twang_body body,
                                                 double* xyz, size_t vertex_count);
TWANG_API twang_status twang_body_copy_velocities(const twang_world* world, twang_body body,
                                                  double* xyz, size_t vertex_count);
/* For drawing between steps: positions at the time that twang_world_advance was asked for, between
 * the last two steps; a step behind, and smooth at any frame rate. Three floats per vertex,
 * `stride` bytes (>= 12) from one vertex to the next. */
TWANG_API twang_status twang_body_copy_interpolated(const twang_world* world, twang_body body,
                                                    float* xyz, size_t stride);
/* The energies are computed when asked for: about the cost of one projection. */
TWANG_API twang_status twang_body_get_report(const twang_world* world, twang_body body,
                                             twang_report* report);
TWANG_API twang_status twang_body_get_precomputation(const twang_world* world, twang_body body,
                                                     twang_precomputation* precomputation);
TWANG_API twang_status twang_body_measure(const twang_world* world, twang_body body,
                                          twang_measures* measures);

/* What the body pulls at its pins with, in the last step: the sum of forces (N) on these vertices'
 * pins, and of their torques (N m) about `point`; no vertices (NULL, 0): all pins. Vertices that
 * are not pinned add nothing; 0 before the first step. Hand it to a rigid body that the pins are
 * fixed to. All pins together take up all momentum, damping apart, that colliders do not (what they
 * bear is left out, as far as the solver has converged); how it is spread over them, and so the
 * torque, is as good as the solver has converged. Either pointer may be NULL. */
TWANG_API twang_status twang_body_pin_force(const twang_world* world, twang_body body,
                                            const uint32_t* vertices, size_t count,
                                            twang_vec3 point, twang_vec3* force,
                                            twang_vec3* torque);

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Normals of length 1, smooth over the model's triangles, 0 for vertices that have none: three
 * floats per vertex, `stride` bytes (>= 12) from one to the next. */
TWANG_API twang_status twang_body_copy_normals(const twang_world* world, twang_body body,
                                               float* xyz, size_t stride);

/* A fine mesh to draw that rides on a coarse model. Each of its vertices is bound to the nearest
 * tetrahedron of the model, or without any to the nearest triangle and at a distance along the
 * smooth normals. Immutable; use it for all bodies of the model, in any world and thread. */
typedef struct twang_embedding twang_embedding;

typedef struct twang_fine_mesh_def {
    const double* positions
        TWANG_DEFAULT(NULL);                /* xyz per vertex, m, around the model's rest shape */
    uint32_t vertex_count TWANG_DEFAULT(0); /* >= 1 */
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each; for normals */
    uint32_t triangle_count TWANG_DEFAULT(0);
} twang_fine_mesh_def;

typedef struct twang_embedding_info {
    uint32_t vertices;
    int32_t in_tetrahedra; /* 1: in tetrahedra; 0: on triangles */
    double farthest;       /* m: from a fine vertex to what it is bound to */
    double rest_error;     /* m: the worst distance between a vertex and where it is put at rest */
} twang_embedding_info;

/* Where to write three floats per vertex, `stride` bytes (>= 12) from one to the next. */
typedef struct twang_float_stream {
    float* xyz TWANG_DEFAULT(NULL); /* NULL: not wanted */
    size_t stride TWANG_DEFAULT(12);
} twang_float_stream;

TWANG_API twang_status twang_default_fine_mesh(twang_fine_mesh_def* def);
TWANG_API twang_status twang_embedding_create(const twang_model* model,
                                              const twang_fine_mesh_def* def,
                                              twang_embedding** embedding);
/* Sets *embedding to NULL. */
TWANG_API twang_status twang_embedding_destroy(twang_embedding** embedding);
TWANG_API twang_status twang_embedding_get_info(const twang_embedding* embedding,
                                                twang_embedding_info* info);
/* The fine mesh as the body is now, or, if interpolated is not 0, between its last two steps (see
 * twang_body_copy_interpolated): positions and smooth normals. Uses the world's workers. */
TWANG_API twang_status twang_embedding_write(const twang_embedding* embedding, twang_world* world,
                                             twang_body body, int32_t interpolated,
                                             twang_float_stream positions,
                                             twang_float_stream normals);

/* ---- Changes while it runs --------------------------------------------------------------------
 */

/* Pins and grabs enter the next step exactly, without another factor of Q: each new one costs at
 * most one global step once, and a little in every iteration (see the README). When more than 16
 * pins differ from those the factor was made with, or one of those is released, another factor is
 * made in the background; while more than 48 differ, iterations take longer (with portable
 * arithmetic by a whole global step). Beyond 48 + 3 sqrt(vertices), or 48 before the first step, it
 * is made in the step. */

/* A soft grip on a point of a body, for a mouse or a hand: a spring of rest length 0 from the point
 * to a target. */
typedef struct twang_grab_def {
    uint32_t vertices[3] TWANG_DEFAULT({}); /* of a triangle, say; may be the same */
    /* >= 0; they are scaled to the sum 1. A single vertex: 1 0 0. */
    double weights[3] TWANG_DEFAULT({1.0});
    twang_vec3 target TWANG_DEFAULT({});    /* m */
    double stiffness TWANG_DEFAULT(1000.0); /* N/m, > 0, <= 1e9; some times the weight of the body
                                               / 1 cm. Above 1e5 times the resistance of the point
                                               itself to being moved in a step, it acts as that. */
} twang_grab_def;
typedef struct twang_grab {
    uint32_t index, generation;
} twang_grab;
#define TWANG_MAX_GRABS 16 /* of one body at a time */

TWANG_API twang_status twang_default_grab(twang_grab_def* def);
TWANG_API twang_status twang_body_grab(twang_world* world, twang_body body,
                                       const twang_grab_def* def, twang_grab* grab);
TWANG_API twang_status twang_body_move_grab(twang_world* world, twang_body body, twang_grab grab,
                                            twang_vec3 target);
TWANG_API twang_status twang_body_release(twang_world* world, twang_body body, twang_grab grab);

/* Rest lengths of springs, in units of the model's; in effect at the next step, at no cost.
 * springs: their places in twang_model_copy_springs, or NULL for all; scales >= 0 (stvk: > 0), one
 * per spring. */
TWANG_API twang_status twang_body_scale_rest_lengths(twang_world* world, twang_body body,
                                                     const uint32_t* springs, const double* scales,
                                                     size_t count);
/* The same for stiffness; in effect refactor_delay steps later. */
TWANG_API twang_status twang_body_scale_stiffness(twang_world* world, twang_body body,
                                                  const uint32_t* springs, const double* scales,
                                                  size_t count);

/* Springs break at the end of a step in which they are longer than (1 + strain) times their rest
 * length. strain > 0; 0.3 tears easily; 0 turns tearing off. Air goes through triangles that have
 * lost a side, as a renderer that leaves them out shows it, and gas gets out (see set_pressure).
 * The first of this, cut and the two above gives the body springs of its own, a copy of some
 * megabytes for a large cloth: if that must not be in a frame, call this when the body is made. */
TWANG_API twang_status twang_body_set_tear_strain(twang_world* world, twang_body body,
                                                  double strain);
/* The parallelogram that the segment from ... to sweeps along a vector. */
typedef struct twang_blade_def {
    twang_vec3 from TWANG_DEFAULT({});
    twang_vec3 to TWANG_DEFAULT({});
    twang_vec3 along TWANG_DEFAULT({}); /* m, any length > 0 */
} twang_blade_def;
/* Breaks the springs that cross it, at once. Until the new factor is there, refactor_delay steps
 * later, the old one still couples what was cut off to the rest: it falls freely as a whole, but
 * with few iterations it turns and bends late. refactor_delay = 0 has the new one at once, in a
 * longer step. A blade without an area breaks nothing; one through vertices breaks the springs on
 * both sides of them. broken: how many; may be NULL. */
TWANG_API twang_status twang_body_cut(twang_world* world, twang_body body,
                                      const twang_blade_def* blade, uint32_t* broken);
/* Springs broken so far. */
TWANG_API twang_status twang_body_broken_springs(const twang_world* world, twang_body body,
                                                 uint32_t* count);
/* 1 for every triangle that has lost a side, 0 for the others; `count` must be the model's. */
TWANG_API twang_status twang_body_copy_torn_triangles(const twang_world* world, twang_body body,
                                                      uint8_t* torn, size_t count);
/* The triangles that lost their first side since this was last called, at most `room`: their places
 * in twang_model_copy_triangles. Those that find no room come with the next call. */
TWANG_API twang_status twang_body_take_torn_triangles(twang_world* world, twang_body body,
                                                      uint32_t* triangles, size_t room,
                                                      size_t* count);

/* ---- Colliders ------------------------------------------------------------------------------- */

/* Vertices are kept off colliders at every step, without bouncing, and rub on them (Coulomb: at
 * rest until the force along the surface exceeds mu times the force into it, then braked by the
 * kinetic mu times that force). For the local-global, newton and newton-cg solvers contact is a
 * soft force that they minimise with the rest, with the forces of the last step to begin with; it
 * uses some of the thickness, and after the step no vertex is nearer to a surface than half of it.
 * So an iteration takes little longer than in the air; local-global does at least two in contact.
 * The other solvers are corrected afterwards, by where vertices have ended up, and may pass through
 * what is thin. With those three vertices are tested along their way through a step, seen from the
 * collider, before it is solved and again afterwards: where springs have pulled some through what
 * they did not seem to reach, it is solved once more. A sphere does not pass through a cloth at up
 * to 1.6 radii a step (0.2 m at 20 m/s and steps of 1/60 s), nor a capsule that turns about one end
 * at up to 2.5 radii a step at the other (0.1 m at 15 m/s). Faster, parts of a cloth may slip past
 * it: take substeps, 3 at three times the speed. Held vertices go where they are told.
 *
 * What lies between vertices meets boxes and meshes too, and others that ask for it: where an edge
 * or a triangle comes nearest to the collider it has a contact as a vertex has. So cloth lies over
 * the edge of a box, where vertices alone would let it cut in by a third of their spacing. With the
 * three solvers that know contact; at most as many such contacts as the body has vertices. What is
 * thinner than the spacing and comes in between vertices fast may still pass. */

typedef enum twang_shape TWANG_INT {
    TWANG_SPHERE,  /* centre, radius */
    TWANG_CAPSULE, /* from centre to end, radius; tapered: the convex hull of a ball of radius at
                      centre and one of end_radius at end */
    TWANG_PLANE,   /* through centre, keeps bodies on the side of normal */
    TWANG_BOX,     /* centre, half extents along x, y, z */
    TWANG_MESH     /* triangles; a closed mesh has an inside, an open one two outsides */
} twang_shape;

typedef struct twang_collider_def {
    twang_shape shape TWANG_DEFAULT(TWANG_SPHERE);
    twang_vec3 centre TWANG_DEFAULT({});                                /* m; 0 0 0 */
    twang_vec3 end TWANG_DEFAULT((twang_vec3{0.0, 1.0, 0.0}));          /* m: capsule */
    twang_vec3 normal TWANG_DEFAULT((twang_vec3{0.0, 1.0, 0.0}));       /* plane; any length > 0 */
    twang_vec3 half_extents TWANG_DEFAULT((twang_vec3{0.5, 0.5, 0.5})); /* m, > 0: box */
    /* About centre, of end, normal, box and mesh as they stand here. Any length > 0. */
    twang_quaternion rotation TWANG_DEFAULT((twang_quaternion{0.0, 0.0, 0.0, 1.0}));
    double radius TWANG_DEFAULT(0.5);            /* m, > 0: sphere, capsule */
    double end_radius TWANG_DEFAULT(TWANG_SAME); /* m, > 0, or TWANG_SAME: capsule */
    double thickness TWANG_DEFAULT(0.005);       /* m, >= 0: kept at rest; half of it always */
    double friction TWANG_DEFAULT(0.3);          /* Coulomb's mu, >= 0: what rests stays below it */
    /* The mu of what slides, 0 ... friction, or TWANG_SAME. What slides is caught by friction again
     * when this one has stopped it. */
    double kinetic_friction TWANG_DEFAULT(TWANG_SAME);
    /* 1: keeps off what lies between vertices too, edges and faces; 0: vertices alone;
     * TWANG_BY_SHAPE: 1 for boxes and meshes. */
    int32_t between_vertices TWANG_DEFAULT(TWANG_BY_SHAPE);
    /* Mesh; copied. Triangles without an area are left out. */
    const double* positions TWANG_DEFAULT(NULL); /* xyz per vertex, m, relative to centre */
    uint32_t vertex_count TWANG_DEFAULT(0);
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each */
    uint32_t triangle_count TWANG_DEFAULT(0);
    /* Sphere: the classic penalty in place of contact, to compare with: the force
     * penalty * max(penalty_scale * radius - |x - centre|, 0) outward, explicit and without
     * friction. Vertices sink in; too stiff, they are shot out. */
    double penalty TWANG_DEFAULT(0.0);       /* N/m, >= 0; 0: contact */
    double penalty_scale TWANG_DEFAULT(1.0); /* > 0; 1.1: felt before it touches */
} twang_collider_def;

TWANG_API twang_status twang_default_collider(twang_collider_def* def);
TWANG_API twang_status twang_collider_create(twang_world* world, const twang_collider_def* def,
                                             twang_collider* collider);
TWANG_API twang_status twang_collider_destroy(twang_world* world, twang_collider collider);
/* Arrives there at the end of the next step, or of the next twang_world_advance, dragging along
 * what it touches; turned as it is. */
TWANG_API twang_status twang_collider_move_to(twang_world* world, twang_collider collider,
                                              twang_vec3 centre);
/* The same, turned: `rotation` takes the place of the definition's. It gets there along the shorter
 * arc, and its surface rubs as it goes: a turntable takes along what lies on it. */
TWANG_API twang_status twang_collider_move(twang_world* world, twang_collider collider,
                                           twang_vec3 centre, twang_quaternion rotation);
/* Is there at once, without a way: nothing is dragged along, and all bodies wake. For a level that
 * is left behind, or together with twang_body_teleport. A capsule has the length of its definition
 * again. */
TWANG_API twang_status twang_collider_teleport(twang_world* world, twang_collider collider,
                                               twang_vec3 centre, twang_quaternion rotation);
/* A capsule on a bone: by the ends it arrives at. It may change its length; twang_collider_move
 * gives it back the one it was defined with. Its radii stay as they are. */
TWANG_API twang_status twang_collider_move_ends(twang_world* world, twang_collider collider,
                                                twang_vec3 from, twang_vec3 to);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TWANG_H */
