/* An FMU over Holonom kernels: co-simulation of FMI 2.0 and 3.0.  The model is data (resources/model.bin).  One allocation
   an instance; no Python, no threads, no file after the first instance.  Functions of FMI are declared here as the
   standard has them, so that no header of it is needed. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* ---- kernels: as Numba leaves them (result and exception by address, status returned; an array is seven arguments) ---- */
typedef int (*function)();
struct later { const unsigned char *form; int64_t size; function kernel; };
#include "kernels.inc"

#define ARRAY(p, n) (void *)0, (void *)0, (int64_t)(n), (int64_t)8, (double *)(p), (int64_t)(n), (int64_t)8
#define ARRAY_T void *, void *, int64_t, int64_t, double *, int64_t, int64_t
struct advanced { double t; int64_t why; };
int holonom_begin(int64_t *out, void **raised, void *step, void *whole, ARRAY_T, double t, ARRAY_T);
int holonom_advance(struct advanced *out, void **raised, void *step, void *scales, void *outputs, ARRAY_T, double t,
                    double until, ARRAY_T);
int holonom_derivative(int64_t *out, void **raised, void *step, ARRAY_T, double t, double gain, ARRAY_T, ARRAY_T);
int holonom_sample(void *out, void **raised, void *outputs, double t, ARRAY_T, int64_t what);
int holonom_evaluate(int64_t *out, void **raised, void *whole, void *outputs, ARRAY_T, double t, uint8_t counted, int64_t sweeps);
int holonom_between(void *out, void **raised, void *step, ARRAY_T, double begin, double h, double t, uint8_t ready, ARRAY_T);
int holonom_later(int64_t *out, void **raised, void *whole, ARRAY_T, double t, double moment, ARRAY_T);
int holonom_outputs(void *out, void **raised, void *functions, double t, ARRAY_T);
#ifdef EXACT
int holonom_pull(void *out, void **raised, void *adjoint, void *measured, double t, ARRAY_T, ARRAY_T, ARRAY_T, ARRAY_T);
int holonom_pull_projection(void *out, void **raised, void *adjoint, double t, ARRAY_T, ARRAY_T, double eps, uint8_t velocities,
                            uint8_t positions, uint8_t impulses);
#endif

/* a kernel that this runtime does not carry: who calls it takes no notice of its status, so the call of C fails */
static int absent;
static int missing() { return absent = 1; }
int64_t __attribute__((visibility("hidden"))) holonom_resolve(int64_t number) { return (int64_t)(intptr_t)missing; }
int64_t __attribute__((visibility("hidden"))) holonom_find(const unsigned char *form, int64_t size) {
    for (size_t k = 0; k < sizeof later / sizeof *later; k++)
        if (later[k].size == size && later[k].form && !memcmp(later[k].form, form, size))
            return (int64_t)(intptr_t)later[k].kernel;
    return (int64_t)(intptr_t)missing;
}

/* arrays that a kernel makes for itself, as Numba's code counts them */
struct memory { size_t count; void *unused[2], *data; size_t size; void *allocator; };
void *__attribute__((visibility("hidden"))) NRT_MemInfo_alloc_aligned(size_t size, unsigned align) {
    struct memory *m = malloc(sizeof *m + size + align);
    if (!m) return 0;
    memset(m, 0, sizeof *m);
    m->count = 1;
    m->size = size;
    m->data = (void *)(((uintptr_t)(m + 1) + align - 1) / align * align);
    return m;
}
void __attribute__((visibility("hidden"))) NRT_MemInfo_call_dtor(void *memory) { free(memory); }
/* strides of an array in another shape; 0 where it must be copied: of contiguous arrays alone, which kernels reshape */
int __attribute__((visibility("hidden"))) numba_attempt_nocopy_reshape(int64_t nd, const int64_t *dims, const int64_t *strides, int64_t newnd,
                                                                       const int64_t *newdims, int64_t *newstrides, int64_t size, int fortran) {
    int64_t next = size;
    for (int64_t k = nd - 1; k >= 0; k--) {
        if (dims[k] != 1 && strides[k] != next) return 0;
        next *= dims[k];
    }
    if (fortran) return 0;
    next = size;
    for (int64_t k = newnd - 1; k >= 0; k--) { newstrides[k] = next; next *= newdims[k]; }
    return 1;
}

/* ---- the model: see export.py, which writes it ---- */
enum { TIME, INPUT, OUTPUT, STATE, RATE, INDICATOR, PARAMETER };
enum { POINTER, FUNCTION, FLOAT_FUNCTION, FLOAT_POINTER, CALLBACK };
typedef struct { int64_t kind, at, size; } Variable; /* size: values of an array (3.0), whose elements follow each other */
/* an input: where its byte positions begin in the indices: those of values, of slopes and of times since which they hold, so many each */
typedef struct { int64_t list, values, slopes, sinces; } Input;
typedef struct { int64_t at, kind, target; } Relocation;
typedef struct { int64_t value, held; } Indicator; /* positions of a condition, and of the input that holds its branch */
/* a sampled control block: its clock; of its states: the first, how many come before its outputs, before those just computed,
   before its random numbers; numbers of outputs and of states that change; where their functions are in the indices; and which
   block is computed at this place */
typedef struct {
    double period, offset, jitter, delay;
    int64_t seed, draws, first, held, computed, drawn, outputs, changes, list, order;
} Sampler;
typedef struct { double value, tolerance, sign, stepsize; int64_t equal, halt, returns, own, asked, list, kept; } Sensor; /* list: of the positions at which its value is kept, in the indices */
/* a delayed expression: its delay, or the position of one that varies (by, -1: none); routine ``index`` of functions ``set``;
   kept: 1 its past is kept by it, 2 by an earlier one, 0 it only reads */
typedef struct { double lag, history; int64_t past, source, by, set, index, kept; } Delay;
typedef struct { int64_t past; double row[9]; } Known;
/* watch: 0 sampled blocks, 1 conditions of functions that switch, 2 phases of what repeats itself */
typedef struct { int64_t mine, theirs, clock, watch; } Share;
typedef struct { int64_t mine, theirs, watch; } Copy; /* a number that conditions read where the equations of motion keep it */
/* a condition of a function that switches: positions of it and of the branch held; whether it can be, is of time alone, and not
   a straight line in it */
typedef struct { int64_t value, held, known, timed, curved; } Condition;
typedef struct { double share; int64_t value, jumps; } Phase; /* longest step in periods; position; whether it jumps by turns */
/* what may slide along a limit: conditions of output minus limit and of the rate of the integral, state of this, side of the limit */
typedef struct { int64_t excess, rate, state; double side, limit; } Slide;
typedef struct { double before, after; int64_t anew; } Break; /* of a motion; whether the integrator restarts there */
/* exact derivatives of a variable: of an output the number of its function, of an input or a parameter the positions of its
   cotangents in the equations of motion and in outputs (-1: none); NOT_EXACT where there are none */
typedef struct { int64_t at, there; } Pull;
#define NOT_EXACT (-2)
typedef struct {
    char magic[16], runtime[40], token[72];
    int64_t image, state, relocations, ny, controls, variables, inputs;
    int64_t states, indicators;
    int64_t y, q, xd, control, step, whole, outputs, scales, watch; /* byte positions in the block; watch -1: none */
    double start, first_step, per_second, splinter, gain, bristle; /* longest step while friction remembers points */
    int64_t adaptive, full, inside, kept, keeps; /* of contacts: no room for near pairs; states are only looked at; numbers
                                                    of points that friction remembers, how many; -1: none */
    int64_t samplers, sensors, delays, pasts, knowns, shares, indices; /* numbers of rows */
    int64_t sampled, clocks, guard, lags, late; /* byte positions; whether sampled blocks read forces or accelerations */
    int64_t conditions, copies, phases, breaks, pulses; /* numbers of rows */
    int64_t follows, cycled; /* byte positions */
    double moment, instant, near; /* after which conditions, and phases, are evaluated again; times that are the same */
    int64_t slides; /* number of rows */
    int64_t adjoint, measured, weights, values_at, row; /* of exact derivatives: byte positions, -1: there are none */
    int64_t values, pulls; /* functions of outputs; variables that have a row in the table, all or none */
    double redundant;      /* pivot of rows that repeat others */
} Layout;
typedef struct Loaded {
    struct Loaded *next;
    char *path;
    const Layout *layout;
    const Variable *variables;
    const Input *inputs;
    const Relocation *relocations;
    const int64_t *states; /* components of the state vector that are continuous states */
    const Indicator *indicators;
    const Sampler *samplers;
    const Sensor *sensors;
    const Delay *delays;
    const Known *knowns;
    const Share *shares;
    const int64_t *indices;
    const Condition *conditions;
    const Copy *copies;
    const Phase *phases;
    const Break *breaks;
    const Slide *slides;
    const Pull *pulls; /* of each variable */
    const double *pulses, *spots; /* spots: where conditions of time alone are checked in a step */
    const unsigned char *image;
    int arrays; /* whether there are any */
} Loaded;
static Loaded *loaded;
static volatile int locked;

static Loaded *load(const char *where) { /* where: a URI (2.0) or a folder (3.0) of resources */
    char path[4200];
    size_t n = 0;
    if (!where) return 0;
    if (!strncmp(where, "file:", 5)) {
        where += 5;
        if (!strncmp(where, "//", 2)) for (where += 2; *where && *where != '/'; where++) ; /* a host */
        for (; *where && n < 4000; where++) {
            unsigned c;
            if (*where == '%' && sscanf(where + 1, "%2x", &c) == 1) { path[n++] = (char)c; where += 2; }
            else path[n++] = *where;
        }
    } else for (; *where && n < 4000; where++) path[n++] = *where;
#ifdef _WIN32
    while (n && path[n - 1] == '\\') n--;
    if (n > 2 && path[0] == '/' && path[2] == ':') memmove(path, path + 1, --n); /* file:///C:/... */
#endif
    while (n && path[n - 1] == '/') n--;
    strcpy(path + n, "/model.bin");
    while (__sync_lock_test_and_set(&locked, 1)) ;
    Loaded *l = loaded;
    while (l && strcmp(l->path, path)) l = l->next;
    FILE *f = l ? 0 : fopen(path, "rb");
    if (f) {
        fseek(f, 0, SEEK_END);
        long size = ftell(f);
        rewind(f);
        unsigned char *all = size >= (long)sizeof(Layout) ? malloc(size) : 0;
        l = calloc(1, sizeof *l);
        if (l && all && fread(all, 1, size, f) == (size_t)size) {
            const Layout *a = l->layout = (const Layout *)all;
            l->path = strdup(path);
            l->variables = (const Variable *)(a + 1);
            l->inputs = (const Input *)(l->variables + a->variables);
            l->relocations = (const Relocation *)(l->inputs + a->inputs);
            l->states = (const int64_t *)(l->relocations + a->relocations);
            l->indicators = (const Indicator *)(l->states + a->states);
            l->samplers = (const Sampler *)(l->indicators + a->indicators);
            l->sensors = (const Sensor *)(l->samplers + a->samplers);
            l->delays = (const Delay *)(l->sensors + a->sensors);
            l->knowns = (const Known *)(l->delays + a->delays);
            l->shares = (const Share *)(l->knowns + a->knowns);
            l->indices = (const int64_t *)(l->shares + a->shares);
            l->conditions = (const Condition *)(l->indices + a->indices);
            l->copies = (const Copy *)(l->conditions + a->conditions);
            l->phases = (const Phase *)(l->copies + a->copies);
            l->breaks = (const Break *)(l->phases + a->phases);
            l->slides = (const Slide *)(l->breaks + a->breaks);
            l->pulses = (const double *)(l->slides + a->slides);
            l->spots = l->pulses + a->pulses;
            l->pulls = (const Pull *)(l->spots + 15);
            l->image = (const unsigned char *)(l->pulls + a->pulls);
            if (!memcmp(a->magic, "HOLONOM FMU 9\0\0", 16) && l->path &&
                (size_t)size == (size_t)(l->image - all) + (size_t)a->image) {
                for (int64_t k = 0; k < a->variables; k++) l->arrays |= l->variables[k].size != 1;
                l->next = loaded;
                loaded = l;
                all = 0;
            }
        }
        if (all) { if (l) free(l->path); free(l); free(all); l = 0; }
        fclose(f);
    }
    __sync_lock_release(&locked);
    return l;
}

/* ---- an instance ---- */
typedef struct { /* of its state; bytes: length of the whole state where it is kept; t: where the integrator is, now: the time of
                    the importer, which may differ by rounding; restarted: since the last step */
    double t, now;
    int64_t running, jump, evaluated, counted, exchange, derived, halted, bytes, restarted;
    unsigned char owner[40];
} Head;
#define HEAD 128
typedef struct { double start, longest; int64_t count, room; double (*rows)[9]; } Past; /* pieces: see delay.py */
typedef void (*Report)(void *who, int version, const char *text);
typedef struct {
    Head *head;
    unsigned char *block;
    const Loaded *model;
    Past *pasts;
    double **jacobian; /* rows of exact derivatives that are known at the present point, by variable; 0: none is */
    void *memory, *who, *call;
    uint32_t *wide[2]; /* room for references of all elements of arrays */
    int version, log, early, stale; /* stale: a state was put back, and work arrays may be those of another point */
    char name[64];
} Model;

static double *at(Model *m, int64_t o) { return (double *)(m->block + o); }

/* categories of the log (description.py): errors are reported always, the others while they are on */
enum { EVENTS, DISCARDS, ERRORS, CATEGORIES };
static const char *const categories[] = {"logEvents", "logStatusDiscard", "logStatusError"};
static void tell(Model *m, int category, const char *text) {
    static const int status[] = {0, 2, 3};
    if (!m->call || (category != ERRORS && !(m->log >> category & 1))) return;
    if (m->version == 2) ((void (*)(void *, const char *, int, const char *, const char *, ...))m->call)(
        m->who, m->name, status[category], categories[category], "%s", text);
    else ((void (*)(void *, int, const char *, const char *))m->call)(m->who, status[category], categories[category], text);
}
static void report(Model *m, const char *text) { tell(m, ERRORS, text); }
static void log_event(Model *m, const char *what) {
    char text[160];
    if (!(m->log & 1 << EVENTS)) return;
    snprintf(text, sizeof text, "time %.9g s: %s", m->head->t / m->model->layout->per_second, what);
    tell(m, EVENTS, text);
}
static int choose_log(Model *m, int on, size_t n, const char *const names[]) {
    int chosen = n ? 0 : (1 << CATEGORIES) - 1;
    for (size_t k = 0; k < n; k++) {
        int c = 0;
        while (c < CATEGORIES && (!names || !names[k] || strcmp(names[k], categories[c]))) c++;
        if (c == CATEGORIES) { report(m, "there is no log category of this name"); return 1; }
        chosen |= 1 << c;
    }
    m->log = on ? m->log | chosen : m->log & ~chosen;
    return 0;
}

static const char *reasons[] = {
    "", "the step became too small: the model may be singular or stiff there", "no step is accepted: the error cannot be held",
    "a variable that depends on itself has no value there", "no forces agree with the reactions on which they depend",
    "the equations of motion cannot be solved: the mechanism is singular there",
    "more pairs of shapes are near than space was reserved for", "an output of a sampled block is not a finite number",
    "a delay is not positive, or falls so fast that the past of a step lies within it", "no memory is left for the past of a delay"};
enum { FULL = 6, NOT_FINITE, TOO_LATE, NO_MEMORY };

static int failed(Model *m, int status, int64_t why) {
    status = status || absent;
    if (!status && !why) return 0;
    char text[256];
    snprintf(text, sizeof text, "time %.9g s: %s", m->head->t / m->model->layout->per_second,
             status ? "a kernel failed that this runtime does not carry" : reasons[why < 0 || why > NO_MEMORY ? 2 : why]);
    report(m, text);
    return 1;
}

static int64_t crowded(Model *m, int64_t why) { /* FULL where contacts found no room */
    int64_t full = m->model->layout->full;
    return !why && full >= 0 && *(int64_t *)at(m, full) ? FULL : why;
}

static const function callbacks[3];
static int add_past(Past *p, const double *row);

static void relocate(Model *m, const Relocation *r) { /* an address in the block is that of this instance */
    uint64_t v = r->kind == POINTER || r->kind == FLOAT_POINTER ? (uint64_t)(uintptr_t)(m->block + r->target)
                 : r->kind == CALLBACK                          ? (uint64_t)(uintptr_t)callbacks[r->target]
                                                                : (uint64_t)(uintptr_t)(r->target < 0 ? missing : kernels[r->target]);
    double d = (double)v;
    memcpy(m->block + r->at, r->kind == FLOAT_FUNCTION || r->kind == FLOAT_POINTER ? (void *)&d : (void *)&v, 8);
}

static void forget(Model *m);
static int fill(Model *m) { /* the block as it was at the export */
    const Layout *a = m->model->layout;
    forget(m);
    memset(m->head, 0, HEAD);
    memcpy(m->block, m->model->image, a->image);
    for (int64_t k = 0; k < a->relocations; k++) relocate(m, m->model->relocations + k);
    memcpy(m->head->owner, a->token, sizeof m->head->owner);
    m->head->t = m->head->now = a->start;
    m->head->jump = 1;
    for (int64_t k = 0; k < a->pasts; k++) {
        m->pasts[k].start = INFINITY;
        m->pasts[k].longest = 0.0;
        m->pasts[k].count = 0;
    }
    for (int64_t k = 0; k < a->delays; k++) { /* of one that varies all steps are kept */
        Past *p = m->pasts + m->model->delays[k].past;
        p->longest = fmax(p->longest, m->model->delays[k].by >= 0 ? INFINITY : m->model->delays[k].lag);
    }
    for (int64_t k = 0; k < a->knowns; k++)
        if (add_past(m->pasts + m->model->knowns[k].past, m->model->knowns[k].row)) return 1;
    return 0;
}

static void forget(Model *m) { /* the Jacobian of another point */
    for (int64_t k = 0; m->jacobian && k < m->model->layout->variables; k++) free(m->jacobian[k]);
    free(m->jacobian);
    m->jacobian = 0;
}

static void drop(Model *m) {
    if (!m) return;
    if (m->model) forget(m);
    for (int64_t k = 0; m->pasts && k < m->model->layout->pasts; k++) free(m->pasts[k].rows);
    free(m->pasts);
    free(m->wide[0]);
    free(m->wide[1]);
    free(m->memory);
    free(m);
}

static Model *make(int version, int exchange, const char *name, const char *token, const char *where, void *call, void *who, int log) {
    Model *m = calloc(1, sizeof *m);
    if (!m) return 0;
    m->version = version; m->call = call; m->who = who;
    m->log = log ? (1 << CATEGORIES) - 1 : 0;
    snprintf(m->name, sizeof m->name, "%s", name ? name : "");
    m->model = load(where);
    if (!m->model) report(m, "resources/model.bin cannot be read");
    else if (strcmp(m->model->layout->runtime, RUNTIME)) report(m, "resources/model.bin belongs to another binary");
    else if (!token || strcmp(token, m->model->layout->token)) report(m, "the GUID or instantiation token is not that of this FMU");
    else if ((m->memory = malloc(HEAD + m->model->layout->image + 64)) &&
             (m->pasts = calloc(m->model->layout->pasts + 1, sizeof *m->pasts))) {
        m->head = (Head *)(((uintptr_t)m->memory + 63) & ~(uintptr_t)63);
        m->block = (unsigned char *)m->head + HEAD;
        if (!fill(m)) {
            m->head->exchange = exchange;
            return m;
        }
    }
    drop(m);
    return 0;
}

static int settle(Model *m, double t, double *y);
static void touched(Model *m) {
    m->head->evaluated = m->head->derived = 0;
    forget(m);
}

static double input_now(Model *m, const Input *i) {
    const int64_t *p = m->model->indices + i->list;
    return *at(m, p[0]) + *at(m, p[i->values]) * (m->head->now - *at(m, p[i->values + i->slopes]));
}
/* an input or a parameter changes: integrals that slide are where they belong before it does */
static int leave_smoothly(Model *m) {
    int bad = !m->head->jump && !m->head->exchange && !m->head->restarted && settle(m, m->head->t, at(m, m->model->layout->y));
    m->head->jump = 1;
    return bad;
}
static int put_input(Model *m, const Input *i, double value, double slope) {
    const int64_t *p = m->model->indices + i->list, slopes = i->values + i->slopes, all = slopes + i->sinces;
    if ((input_now(m, i) != value || *at(m, p[i->values]) != slope) && leave_smoothly(m)) return 1;
    for (int64_t k = 0; k < all; k++) *at(m, p[k]) = k < i->values ? value : k < slopes ? slope : m->head->now;
    touched(m);
    return 0;
}

enum { WANTED, GROWTH, STEPPED, DONE, ERROR_, MOST, STEPS = 8, BEGUN = 12, ENOUGH = 13, UNBOUNDED = 18 }; /* of explicit_loop.py, as a test holds */

static __thread Model *current; /* whose kernels run */

static int follow(Model *m);
static int restart(Model *m, double first) { /* ``first``: size of the step, 0: it goes on as it was */
    const Layout *a = m->model->layout;
    double *control = at(m, a->control);
    int64_t why = 0;
    void *raised;
    int status = holonom_begin(&why, &raised, at(m, a->step), at(m, a->whole), ARRAY(at(m, a->y), a->ny), m->head->t,
                               ARRAY(control, a->controls));
    m->head->jump = 0;
    m->head->restarted = 1;
    touched(m);
    if (a->adaptive) { /* the step goes on as it was; at the start it is the one of the model */
        double h = first > 0.0 ? first : control[DONE] > control[WANTED] ? control[DONE] : control[WANTED];
        control[WANTED] = control[DONE] == 0.0 ? a->first_step : h > a->splinter ? h : a->splinter;
    }
    control[GROWTH] = 6.0;
    control[STEPPED] = 0.0;
    return failed(m, status, crowded(m, why));
}
static int begin(Model *m, double first) { return follow(m) || restart(m, first); }

static int derive(Model *m) { /* rates of the continuous states; the point on the constraints next to them into q */
    const Layout *a = m->model->layout;
    int64_t why = 0;
    void *raised;
    if (m->head->derived) return 0;
    int status = holonom_derivative(&why, &raised, at(m, a->whole), ARRAY(at(m, a->y), a->ny), m->head->t, a->gain,
                                    ARRAY(at(m, a->q), a->ny), ARRAY(at(m, a->xd), a->ny));
    m->head->derived = 1;
    m->head->evaluated = 0;
    return failed(m, status, crowded(m, why));
}

static int evaluate(Model *m) {
    const Layout *a = m->model->layout;
    double t = m->head->exchange ? m->head->t : m->head->now;
    int64_t why = 0;
    void *raised;
    if (m->head->evaluated) return 0;
    if (m->head->exchange) {
        m->head->derived = 0;
        if (derive(m)) return 1;
    } else {
        if (m->head->jump && !m->head->running && begin(m, 0.0)) return 1;
        memcpy(at(m, a->q), at(m, a->y), 8 * a->ny);
        if (settle(m, m->head->t, at(m, a->q))) return 1;
    }
    if (a->inside >= 0) *(int64_t *)at(m, a->inside) = 1; /* contacts remember what steps have accepted, and nothing else */
    int status = holonom_evaluate(&why, &raised, at(m, a->whole), at(m, a->outputs), ARRAY(at(m, a->q), a->ny), t,
                                  (uint8_t)m->head->counted, 0);
    if (a->inside >= 0) *(int64_t *)at(m, a->inside) = 0;
    m->head->counted = m->head->evaluated = 1;
    return failed(m, status, crowded(m, why));
}

#include "between_steps.c"

static int is_there(double t, double until) { return until <= t + 1e-14 * fabs(t) + 1e-300; }

static int go(Model *m, double until, int early) { /* until: in the time of the model, or to where a sensor fires (early) */
    const Layout *a = m->model->layout;
    struct advanced out = {m->head->t, 0};
    void *raised;
    if (m->head->halted) { report(m, "doStep: a sensor has ended the simulation"); return 1; }
    if (!(until > m->head->now)) { report(m, "doStep: the size of the step must be positive"); return 1; }
    if (m->head->jump && begin(m, 0.0)) return 1;
    double *control = at(m, a->control), most = control[MOST];
    int status = 0, bad = 0, paused = 0, single = a->kept >= 0 || a->sensors || a->delays || a->conditions || a->phases || a->breaks || a->pulses;
    while (!status && !out.why && !bad && !is_there(m->head->t, until) && !m->head->halted && !(paused && early)) {
        if (a->samplers && due(m)) {
            log_event(m, "sampled blocks take their inputs");
            bad = sample_now(m) || begin(m, 0.0);
            continue;
        }
        double here = m->head->t;
        if (a->breaks && broken(m)) {
            log_event(m, "a motion has a corner");
            bad = settle(m, here, at(m, a->y)) || begin(m, 0.0);
            continue;
        }
        if (a->delays && behind(m, until)) {
            log_event(m, "a delayed signal jumps");
            bad = settle(m, here, at(m, a->y)) || begin(m, 0.0);
            continue;
        }
        double end = goal(m, until), lost = control[UNBOUNDED];
        if ((bad = stops(m, &end))) break;
        if (a->kept >= 0) { /* friction with memory limits the steps from where it remembers points, step by step */
            const int64_t *kept = (const int64_t *)at(m, a->kept);
            control[MOST] = most;
            for (int64_t k = 0; k < a->keeps; k++) if (kept[k]) control[MOST] = most < a->bristle ? most : a->bristle;
        }
        if (single) control[ENOUGH] = control[STEPS] + 1.0;
        status = holonom_advance(&out, &raised, at(m, a->step), at(m, a->scales), at(m, a->outputs),
                                 ARRAY(at(m, a->y), a->ny), m->head->t, end, ARRAY(control, a->controls));
        m->head->t = out.t;
        touched(m);
        if (!a->delays) m->head->restarted = 0;
        if (!status && !out.why && (a->sensors || a->delays || a->conditions)) bad = close_step(m, control[UNBOUNDED] - lost, &paused);
    }
    control[MOST] = most;
    m->head->now = is_there(m->head->t, until) ? until : m->head->t;
    touched(m);
    return bad || failed(m, status, crowded(m, out.why));
}

static int conditions(Model *m) { /* of functions that switch, at the point on the constraints */
    const Layout *a = m->model->layout;
    void *raised, *out;
    if (derive(m)) return 1;
    share(m, 1, m->head->t);
    return failed(m, holonom_sample(&out, &raised, at(m, a->watch), m->head->t, ARRAY(at(m, a->q), a->ny), 1), 0);
}

static int get(Model *m, uint32_t reference, double *value) {
    const Layout *a = m->model->layout;
    if (reference >= (uint64_t)a->variables) { report(m, "there is no variable with this reference"); return 1; }
    const Variable *v = &m->model->variables[reference];
    switch (v->kind) {
    case TIME: *value = m->head->now / a->per_second; return 0;
    case INPUT: *value = input_now(m, &m->model->inputs[v->at]); return 0;
    case OUTPUT: if (evaluate(m)) return 1; *value = *at(m, v->at); return 0;
    case STATE: *value = at(m, a->y)[v->at]; return 0;
    case PARAMETER: *value = *at(m, v->at); return 0;
    case INDICATOR: if (conditions(m)) return 1; *value = *at(m, v->at); return 0;
    case RATE: if (derive(m)) return 1; *value = at(m, a->xd)[v->at] * a->per_second; return 0;
    }
    return 1;
}
static int set(Model *m, uint32_t reference, double value) {
    const Layout *a = m->model->layout;
    const Variable *v = &m->model->variables[reference < (uint64_t)a->variables ? reference : 0];
    if (v->kind != INPUT && v->kind != STATE && v->kind != PARAMETER) {
        report(m, "only inputs, states and parameters can be set");
        return 1;
    }
    if (!isfinite(value)) { report(m, "values must be finite"); return 1; }
    if (v->kind != INPUT) {
        double *place = v->kind == STATE ? at(m, a->y) + v->at : at(m, v->at);
        if (*place != value && leave_smoothly(m)) return 1;
        *place = value;
        touched(m);
        return 0;
    }
    return put_input(m, &m->model->inputs[m->model->variables[reference].at], value, 0.0);
}
static int each(Model *m, const uint32_t *r, size_t n, double *v) { int b = 0; for (size_t k = 0; k < n; k++) b |= get(m, r[k], v + k); return b; }
static int give(Model *m, const uint32_t *r, size_t n, const double *v) { int b = 0; for (size_t k = 0; k < n; k++) b |= set(m, r[k], v[k]); return b; }

/* values of FMI 3.0: an array counts as its elements.  References of all of them, 0 where these are not nv; place: 0 or 1 */
static const uint32_t *wide(Model *m, int place, const uint32_t *r, size_t n, size_t nv) {
    static const uint32_t none;
    size_t count = 0;
    if (!m->model->arrays && n == nv) return n ? r : &none;
    uint32_t *to = realloc(m->wide[place], (nv + 1) * sizeof *to);
    if (!to) return 0;
    m->wide[place] = to;
    for (size_t k = 0; k < n; k++) {
        int64_t size = r[k] < (uint64_t)m->model->layout->variables ? m->model->variables[r[k]].size : 0;
        if (size < 1) { report(m, "there is no variable with this reference"); return 0; }
        for (int64_t j = 0; j < size; j++, count++) if (count < nv) to[count] = r[k] + (uint32_t)j;
    }
    if (count == nv) return to;
    report(m, "the number of values is not that of the variables");
    return 0;
}

static int start(Model *m) { /* the end of initialization: blocks whose first sample is now take their inputs */
    int bad = m->model->layout->samplers && due(m) ? sample_now(m) : 0;
    if (!bad && m->head->jump) bad = begin(m, 0.0);
    m->head->running = 1;
    return bad;
}

/* a state: head, what changes of the block, the pieces that delays know */
static size_t fixed_size(Model *m) { return HEAD + (size_t)m->model->layout->state; }
static int keep(Model *m, void **s) {
    size_t n = fixed_size(m);
    for (int64_t k = 0; k < m->model->layout->pasts; k++) n += 16 + sizeof *m->pasts->rows * m->pasts[k].count;
    unsigned char *to = realloc(*s, n);
    if (!to) return 1;
    *s = to;
    m->head->bytes = n;
    memcpy(to, m->head, fixed_size(m));
    const Relocation *r = m->model->relocations; /* in the order of their places; addresses are not part of a state */
    for (int64_t k = 0; k < m->model->layout->relocations && r[k].at < m->model->layout->state; k++) memset(to + HEAD + r[k].at, 0, 8);
    to += fixed_size(m);
    for (int64_t k = 0; k < m->model->layout->pasts; k++) {
        const Past *p = m->pasts + k;
        memcpy(to, &p->start, 8);
        memcpy(to + 8, &p->count, 8);
        if (p->count) memcpy(to + 16, p->rows, sizeof *p->rows * p->count);
        to += 16 + sizeof *p->rows * p->count;
    }
    return 0;
}
static int back(Model *m, const void *s) {
    const Head *h = s;
    if (!s || memcmp(h->owner, m->head->owner, sizeof h->owner)) {
        report(m, "this state belongs to another FMU");
        return 1;
    }
    const unsigned char *from = (const unsigned char *)s + fixed_size(m);
    size_t left = (size_t)h->bytes - fixed_size(m);
    int bad = (size_t)h->bytes < fixed_size(m);
    for (int64_t k = 0; k < m->model->layout->pasts && !bad; k++) {
        Past *p = m->pasts + k;
        int64_t count = 0;
        if (!(bad = left < 16)) memcpy(&count, from + 8, 8);
        bad = bad || count < 0 || (uint64_t)count > (left - 16) / sizeof *p->rows || room_for(p, count);
        if (bad) break;
        memcpy(&p->start, from, 8);
        p->count = count;
        if (count) memcpy(p->rows, from + 16, sizeof *p->rows * count);
        from += 16 + sizeof *p->rows * count;
        left -= 16 + sizeof *p->rows * count;
    }
    if (bad) { report(m, "this state is damaged"); return 1; }
    memcpy(m->head, s, fixed_size(m));
    m->stale = 1;
    const Relocation *r = m->model->relocations;
    for (int64_t k = 0; k < m->model->layout->relocations && r[k].at < m->model->layout->state; k++) relocate(m, r + k);
    forget(m);
    return 0;
}
static int from_bytes(Model *m, const void *b, size_t n, void **s) {
    int64_t bytes = 0;
    if (n >= fixed_size(m)) memcpy(&bytes, (const char *)b + offsetof(Head, bytes), 8);
    if ((size_t)bytes != n || n < fixed_size(m) || !(*s = malloc(n))) { report(m, "this is not a state of this FMU"); return 1; }
    memcpy(*s, b, n);
    return 0;
}

/* ---- model exchange ---- */
static int anew(Model *m) { int64_t x = m->head->exchange; fill(m); m->head->exchange = x; return 0; }
static int put_time(Model *m, double t) { m->head->t = m->head->now = t * m->model->layout->per_second; touched(m); return 0; }
static int put_states(Model *m, const double *x, size_t n) {
    const Layout *a = m->model->layout;
    if (n != (size_t)a->states) return 1;
    for (size_t k = 0; k < n; k++) at(m, a->y)[m->model->states[k]] = x[k];
    touched(m);
    return 0;
}
static int get_states(Model *m, double *x, size_t n) {
    const Layout *a = m->model->layout;
    if (n != (size_t)a->states) return 1;
    for (size_t k = 0; k < n; k++) x[k] = at(m, a->y)[m->model->states[k]];
    return 0;
}
static int get_rates(Model *m, double *x, size_t n) {
    const Layout *a = m->model->layout;
    if (n != (size_t)a->states || derive(m)) return 1;
    for (size_t k = 0; k < n; k++) x[k] = at(m, a->xd)[m->model->states[k]] * a->per_second;
    return 0;
}
static int indicate(Model *m, double *z, size_t n) { /* conditions on which functions branch */
    const Layout *a = m->model->layout;
    if (n != (size_t)a->indicators) return 1;
    if (!n) return 0;
    if (conditions(m)) return 1;
    for (size_t k = 0; k < n; k++) z[k] = *at(m, m->model->indicators[k].value);
    return 0;
}
static int hold(Model *m) { /* between events functions keep the branches that they have now */
    size_t n = (size_t)m->model->layout->indicators;
    double z[256];
    if (!n) return 0;
    log_event(m, "branches of functions are chosen");
    for (size_t k = 0; k < n; k++) *at(m, m->model->indicators[k].held) = 0.0;
    touched(m);
    if (n > sizeof z / sizeof *z || indicate(m, z, n)) return 1;
    for (size_t k = 0; k < n; k++) *at(m, m->model->indicators[k].held) = z[k] > 0.0 ? 1.0 : z[k] < 0.0 ? -1.0 : 0.0;
    touched(m);
    return 0;
}
static int accepted(Model *m) { /* the end of a step: turns of angles are counted from here */
    const Layout *a = m->model->layout;
    int64_t why = 0;
    void *raised;
    if (derive(m)) return 1;
    int status = holonom_begin(&why, &raised, at(m, a->step), at(m, a->whole), ARRAY(at(m, a->q), a->ny), m->head->t,
                               ARRAY(at(m, a->control), a->controls));
    touched(m);
    return failed(m, status, why) || evaluate(m); /* which counts those of outputs */
}
#include "derivatives.c"

static Model *of(void *c) { return current = c; }
#define M of(c)
/* ---- FMI 2.0: status 0 OK, 3 Error ---- */
#define BAD(x) ((x) ? 3 : 0)
typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks2;
EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const s[]) { return BAD(choose_log(M, on, n, s)); }
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *where, const Callbacks2 *f, int visible, int log) {
    return make(2, type == 0, name, guid, where, f ? (void *)f->logger : 0, f ? f->environment : 0, log);
}
EXPORT void fmi2FreeInstance(void *c) { drop(M); }
EXPORT int fmi2SetupExperiment(void *c, int td, double tolerance, double t, int sd, double stop) {
    const Layout *a = M->model->layout;
    M->head->t = M->head->now = t * a->per_second;
    if (td && tolerance > 0.0 && a->adaptive) at(M, a->control)[ERROR_] = tolerance;
    return 0;
}
EXPORT int fmi2EnterInitializationMode(void *c) { return 0; }
EXPORT int fmi2ExitInitializationMode(void *c) { return BAD(start(M)); }
EXPORT int fmi2Terminate(void *c) { return 0; }
EXPORT int fmi2Reset(void *c) { return BAD(anew(M)); }
EXPORT int fmi2GetReal(void *c, const uint32_t r[], size_t n, double v[]) { return BAD(each(M, r, n, v)); }
EXPORT int fmi2SetReal(void *c, const uint32_t r[], size_t n, const double v[]) { return BAD(give(M, r, n, v)); }
#define NONE2(T, N) \
    EXPORT int fmi2Get##N(void *c, const uint32_t r[], size_t n, T v[]) { return BAD(n); } \
    EXPORT int fmi2Set##N(void *c, const uint32_t r[], size_t n, const T v[]) { return BAD(n); }
NONE2(int, Integer) NONE2(int, Boolean) NONE2(const char *, String)
EXPORT int fmi2GetFMUstate(void *c, void **s) { return BAD(keep(M, s)); }
EXPORT int fmi2SetFMUstate(void *c, void *s) { return BAD(back(M, s)); }
EXPORT int fmi2FreeFMUstate(void *c, void **s) { free(*s); *s = 0; return 0; }
EXPORT int fmi2SerializedFMUstateSize(void *c, void *s, size_t *n) { *n = (size_t)((Head *)s)->bytes; return 0; }
EXPORT int fmi2SerializeFMUstate(void *c, void *s, char b[], size_t n) {
    if (n < (size_t)((Head *)s)->bytes) return 3;
    memcpy(b, s, ((Head *)s)->bytes);
    return 0;
}
EXPORT int fmi2DeSerializeFMUstate(void *c, const char b[], size_t n, void **s) { return BAD(from_bytes(M, b, n, s)); }
EXPORT int fmi2GetDirectionalDerivative(void *c, const uint32_t u[], size_t nu, const uint32_t k[], size_t nk, const double d[], double o[]) { return BAD(along(M, u, nu, k, nk, d, o)); }
EXPORT int fmi2EnterEventMode(void *c) { return 0; }
typedef struct { int again, terminate, nominals, values, timed; double next; } EventInfo2;
EXPORT int fmi2NewDiscreteStates(void *c, EventInfo2 *e) { memset(e, 0, sizeof *e); return 0; }
EXPORT int fmi2EnterContinuousTimeMode(void *c) { return BAD(hold(M)); }
EXPORT int fmi2CompletedIntegratorStep(void *c, int no, int *e, int *t) { *e = *t = 0; return BAD(accepted(M)); }
EXPORT int fmi2SetTime(void *c, double t) { return BAD(put_time(M, t)); }
EXPORT int fmi2SetContinuousStates(void *c, const double x[], size_t n) { return BAD(put_states(M, x, n)); }
EXPORT int fmi2GetDerivatives(void *c, double x[], size_t n) { return BAD(get_rates(M, x, n)); }
EXPORT int fmi2GetEventIndicators(void *c, double z[], size_t n) { return BAD(indicate(M, z, n)); }
EXPORT int fmi2GetContinuousStates(void *c, double x[], size_t n) { return BAD(get_states(M, x, n)); }
EXPORT int fmi2GetNominalsOfContinuousStates(void *c, double x[], size_t n) { for (size_t k = 0; k < n; k++) x[k] = 1.0; return 0; }
EXPORT int fmi2SetRealInputDerivatives(void *c, const uint32_t r[], size_t n, const int order[], const double v[]) {
    const Layout *a = M->model->layout;
    for (size_t k = 0; k < n; k++) {
        if (order[k] != 1 || r[k] >= (uint64_t)a->variables || M->model->variables[r[k]].kind != INPUT || !isfinite(v[k])) return 3;
        const Input *i = &M->model->inputs[M->model->variables[r[k]].at];
        if (put_input(M, i, input_now(M, i), v[k] / a->per_second)) return 3;
    }
    return 0;
}
EXPORT int fmi2GetRealOutputDerivatives(void *c, const uint32_t r[], size_t n, const int order[], double v[]) { return 3; }
EXPORT int fmi2DoStep(void *c, double t, double h, int no) { /* 2 Discard: a sensor has ended the simulation */
    int bad = go(M, (t + h) * M->model->layout->per_second, 0);
    if (!bad && M->head->halted) tell(M, DISCARDS, "a sensor has ended the simulation");
    return bad ? 3 : M->head->halted ? 2 : 0;
}
EXPORT int fmi2CancelStep(void *c) { return 3; }
EXPORT int fmi2GetStatus(void *c, int kind, int *v) { *v = 0; return 0; }
EXPORT int fmi2GetRealStatus(void *c, int kind, double *v) { *v = M->head->now / M->model->layout->per_second; return 0; }
EXPORT int fmi2GetIntegerStatus(void *c, int kind, int *v) { return 2; }
EXPORT int fmi2GetBooleanStatus(void *c, int kind, int *v) { *v = kind == 3 && M->head->halted; return 0; }
EXPORT int fmi2GetStringStatus(void *c, int kind, const char **v) { return 2; }

/* ---- FMI 3.0 ---- */
#define REFERENCES const uint32_t r[], size_t n
EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT int fmi3SetDebugLogging(void *c, _Bool on, size_t n, const char *const s[]) { return BAD(choose_log(M, on, n, s)); }
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *where, _Bool visible, _Bool log, _Bool events,
                                         _Bool early, const uint32_t r[], size_t n, void *who, void *call, void *update) {
    Model *m = make(3, 0, name, token, where, call, who, log);
    if (m) m->early = early;
    return m;
}
EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *where, _Bool visible, _Bool log, void *who, void *call) {
    return make(3, 1, name, token, where, call, who, log);
}
EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *where, _Bool visible, _Bool log, void *who,
                                               void *call, void *update, void *lock, void *unlock) { return 0; }
EXPORT void fmi3FreeInstance(void *c) { drop(M); }
EXPORT int fmi3EnterInitializationMode(void *c, _Bool td, double tolerance, double t, _Bool sd, double stop) {
    return fmi2SetupExperiment(c, td, tolerance, t, 0, 0.0);
}
EXPORT int fmi3ExitInitializationMode(void *c) { return BAD(start(M)); }
EXPORT int fmi3EnterEventMode(void *c) { return BAD(!M->head->exchange); }
EXPORT int fmi3Terminate(void *c) { return 0; }
EXPORT int fmi3Reset(void *c) { return BAD(anew(M)); }
EXPORT int fmi3GetFloat64(void *c, REFERENCES, double v[], size_t nv) { const uint32_t *w = wide(M, 0, r, n, nv); return BAD(!w || each(M, w, nv, v)); }
EXPORT int fmi3SetFloat64(void *c, REFERENCES, const double v[], size_t nv) { const uint32_t *w = wide(M, 0, r, n, nv); return BAD(!w || give(M, w, nv, v)); }
#define NONE3(T, N) \
    EXPORT int fmi3Get##N(void *c, REFERENCES, T v[], size_t nv) { return BAD(n); } \
    EXPORT int fmi3Set##N(void *c, REFERENCES, const T v[], size_t nv) { return BAD(n); }
NONE3(float, Float32) NONE3(int8_t, Int8) NONE3(uint8_t, UInt8) NONE3(int16_t, Int16) NONE3(uint16_t, UInt16) NONE3(int32_t, Int32)
NONE3(uint32_t, UInt32) NONE3(int64_t, Int64) NONE3(uint64_t, UInt64) NONE3(_Bool, Boolean) NONE3(const char *, String)
EXPORT int fmi3GetBinary(void *c, REFERENCES, size_t s[], const uint8_t *v[], size_t nv) { return BAD(n); }
EXPORT int fmi3SetBinary(void *c, REFERENCES, const size_t s[], const uint8_t *const v[], size_t nv) { return BAD(n); }
EXPORT int fmi3GetClock(void *c, REFERENCES, _Bool v[]) { return BAD(n); }
EXPORT int fmi3SetClock(void *c, REFERENCES, const _Bool v[]) { return BAD(n); }
EXPORT int fmi3GetNumberOfVariableDependencies(void *c, uint32_t r, size_t *n) { return 3; }
EXPORT int fmi3GetVariableDependencies(void *c, uint32_t d, size_t a[], uint32_t i[], size_t b[], int k[], size_t n) { return 3; }
EXPORT int fmi3GetFMUState(void *c, void **s) { return BAD(keep(M, s)); }
EXPORT int fmi3SetFMUState(void *c, void *s) { return BAD(back(M, s)); }
EXPORT int fmi3FreeFMUState(void *c, void **s) { free(*s); *s = 0; return 0; }
EXPORT int fmi3SerializedFMUStateSize(void *c, void *s, size_t *n) { return fmi2SerializedFMUstateSize(c, s, n); }
EXPORT int fmi3SerializeFMUState(void *c, void *s, uint8_t b[], size_t n) { return fmi2SerializeFMUstate(c, s, (char *)b, n); }
EXPORT int fmi3DeserializeFMUState(void *c, const uint8_t b[], size_t n, void **s) { return fmi2DeSerializeFMUstate(c, (const char *)b, n, s); }
EXPORT int fmi3GetDirectionalDerivative(void *c, const uint32_t u[], size_t nu, const uint32_t k[], size_t nk, const double d[], size_t nd, double o[], size_t no) {
    const uint32_t *w = wide(M, 0, u, nu, no), *x = wide(M, 1, k, nk, nd);
    return BAD(!w || !x || along(M, w, no, x, nd, d, o));
}
EXPORT int fmi3GetAdjointDerivative(void *c, const uint32_t u[], size_t nu, const uint32_t k[], size_t nk, const double d[], size_t nd, double o[], size_t no) {
    const uint32_t *w = wide(M, 0, u, nu, nd), *x = wide(M, 1, k, nk, no);
    return BAD(!w || !x || across(M, w, nd, x, no, d, o));
}
EXPORT int fmi3EnterConfigurationMode(void *c) { return 3; }
EXPORT int fmi3ExitConfigurationMode(void *c) { return 3; }
EXPORT int fmi3GetIntervalDecimal(void *c, REFERENCES, double v[], int q[]) { return 3; }
EXPORT int fmi3GetIntervalFraction(void *c, REFERENCES, uint64_t a[], uint64_t b[], int q[]) { return 3; }
EXPORT int fmi3GetShiftDecimal(void *c, REFERENCES, double v[]) { return 3; }
EXPORT int fmi3GetShiftFraction(void *c, REFERENCES, uint64_t a[], uint64_t b[]) { return 3; }
EXPORT int fmi3SetIntervalDecimal(void *c, REFERENCES, const double v[]) { return 3; }
EXPORT int fmi3SetIntervalFraction(void *c, REFERENCES, const uint64_t a[], const uint64_t b[]) { return 3; }
EXPORT int fmi3SetShiftDecimal(void *c, REFERENCES, const double v[]) { return 3; }
EXPORT int fmi3SetShiftFraction(void *c, REFERENCES, const uint64_t a[], const uint64_t b[]) { return 3; }
EXPORT int fmi3EvaluateDiscreteStates(void *c) { return 3; }
EXPORT int fmi3UpdateDiscreteStates(void *c, _Bool *a, _Bool *b, _Bool *d, _Bool *e, _Bool *f, double *t) {
    *a = *b = *d = *e = *f = 0;
    *t = 0.0;
    return 0;
}
EXPORT int fmi3EnterContinuousTimeMode(void *c) { return BAD(hold(M)); }
EXPORT int fmi3CompletedIntegratorStep(void *c, _Bool no, _Bool *e, _Bool *t) { *e = *t = 0; return BAD(accepted(M)); }
EXPORT int fmi3SetTime(void *c, double t) { return BAD(put_time(M, t)); }
EXPORT int fmi3SetContinuousStates(void *c, const double x[], size_t n) { return BAD(put_states(M, x, n)); }
EXPORT int fmi3GetContinuousStateDerivatives(void *c, double x[], size_t n) { return BAD(get_rates(M, x, n)); }
EXPORT int fmi3GetEventIndicators(void *c, double z[], size_t n) { return BAD(indicate(M, z, n)); }
EXPORT int fmi3GetContinuousStates(void *c, double x[], size_t n) { return BAD(get_states(M, x, n)); }
EXPORT int fmi3GetNominalsOfContinuousStates(void *c, double x[], size_t n) { return fmi2GetNominalsOfContinuousStates(c, x, n); }
EXPORT int fmi3GetNumberOfEventIndicators(void *c, size_t *n) { *n = (size_t)M->model->layout->indicators; return 0; }
EXPORT int fmi3GetNumberOfContinuousStates(void *c, size_t *n) { *n = (size_t)M->model->layout->states; return 0; }
EXPORT int fmi3EnterStepMode(void *c) { return 0; }
EXPORT int fmi3GetOutputDerivatives(void *c, REFERENCES, const int32_t o[], double v[], size_t nv) { return 3; }
EXPORT int fmi3DoStep(void *c, double t, double h, _Bool no, _Bool *event, _Bool *terminate, _Bool *early, double *last) {
    double until = (t + h) * M->model->layout->per_second;
    int bad = go(M, until, M->early);
    *event = 0;
    *terminate = M->head->halted != 0;
    *early = !bad && M->head->now < until;
    *last = *early || bad ? M->head->now / M->model->layout->per_second : t + h;
    return BAD(bad);
}
EXPORT int fmi3ActivateModelPartition(void *c, uint32_t r, double t) { return 3; }
