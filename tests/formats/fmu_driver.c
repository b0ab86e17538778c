/* An importer without Python: prints outputs of an FMU of 2.0 after each step, the microseconds of a step, and how many of
   1000 returns to an earlier state differ in any byte.  driver <library> <guid> <resources> <steps> <size> <input> <outputs...> */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void note(void *who, const char *name, int status, const char *kind, const char *text, ...) { fprintf(stderr, "%s\n", text); }
static struct { void (*logger)(void *, const char *, int, const char *, const char *, ...); void *other[4]; } callbacks = {note, {0}};
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }

int main(int n, char **a) {
    void *lib = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
    if (!lib) { puts(dlerror()); return 1; }
#define F(result, name, ...) result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(lib, "fmi2" #name)
    F(void *, Instantiate, const char *, int, const char *, const char *, void *, int, int);
    F(int, SetupExperiment, void *, int, double, double, int, double);
    F(int, EnterInitializationMode, void *);
    F(int, ExitInitializationMode, void *);
    F(int, DoStep, void *, double, double, int);
    F(int, GetReal, void *, const unsigned *, size_t, double *);
    F(int, SetReal, void *, const unsigned *, size_t, const double *);
    F(int, GetFMUstate, void *, void **);
    F(int, SetFMUstate, void *, void *);
    F(int, SerializedFMUstateSize, void *, void *, size_t *);
    int steps = atoi(a[4]), many = n - 7, bad = 0, wrong = 0;
    double size = atof(a[5]), v;
    unsigned input = atoi(a[6]), outputs[20];
    for (int k = 0; k < many; k++) outputs[k] = atoi(a[7 + k]);
    void *c = Instantiate("a", 1, a[2], a[3], &callbacks, 0, 0);
    if (!c) return 2;
    bad |= SetupExperiment(c, 0, 0, 0, 0, 0) | EnterInitializationMode(c) | ExitInitializationMode(c);
    for (int k = 0; k < steps; k++) {
        if (input) { v = (k % 5) - 2.0; bad |= SetReal(c, &input, 1, &v); }
        bad |= DoStep(c, k * size, size, 1);
        for (int j = 0; j < many; j++) { bad |= GetReal(c, outputs + j, 1, &v); printf("%.17g%c", v, j + 1 < many ? ' ' : '\n'); }
    }
    double t = steps * size, t0 = now();
    for (int k = 0; k < 2000; k++, t += size) bad |= DoStep(c, t, size, 1);
    fprintf(stderr, "step %.3f us\n", (now() - t0) / 2000 * 1e6);
    void *s0 = 0, *s1 = 0, *s2 = 0;
    size_t bytes = 0;
    srand(1);
    for (int k = 0; k < 1000; k++) {
        for (int lead = rand() % 4; lead; lead--, t += size) bad |= DoStep(c, t, size, 1);
        if (input && rand() % 2) { v = rand() / (double)RAND_MAX; bad |= SetReal(c, &input, 1, &v); }
        if (rand() % 2) bad |= GetReal(c, outputs, 1, &v);
        bad |= GetFMUstate(c, &s0);
        SerializedFMUstateSize(c, s0, &bytes);
        int far = 1 + rand() % 3;
        for (int side = 0; side < 2; side++) {
            double s = t;
            for (int j = 0; j < far; j++, s += size) {
                if (input) { v = 0.1 * j; bad |= SetReal(c, &input, 1, &v); }
                bad |= DoStep(c, s, size, 1);
            }
            bad |= GetFMUstate(c, side ? &s2 : &s1);
            if (!side) {
                if (input) { v = 5.0; bad |= SetReal(c, &input, 1, &v); }
                bad |= DoStep(c, s, 2 * size, 1) | SetFMUstate(c, s0);
            }
        }
        t += far * size;
        wrong += memcmp(s1, s2, bytes) != 0;
    }
    t0 = now();
    for (int k = 0; k < 10000; k++) GetFMUstate(c, &s0);
    double t1 = now();
    for (int k = 0; k < 10000; k++) SetFMUstate(c, s0);
    fprintf(stderr, "get %.3f us, set %.3f us, %zu bytes\nrollback: %d of 1000 differ; status %d\n", (t1 - t0) * 100, (now() - t1) * 100, bytes, wrong, bad);
    return bad || wrong;
}
