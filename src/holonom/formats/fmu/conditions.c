/* Functions that switch, located between two steps, and times at which steps end: pulses and periods of forces, corners of
   motions.  Part of runtime.c; the numbers are those of `analyses.dynamics` (events.py, pulses.py, periods.py,
   motion_breaks.py). */

enum { CHATTER = 4, REST = 50, LONGEST_REST = 2000, TIMED = 15, MOST_CONDITIONS = 256 };
#define SHORT 1e-3 /* share of the usual step */
#define KEEPS_BOUND 0.8 /* a bound of a period that has grown by less stays as it was */
/* of one condition: its value at the last step; branch held (0: it decides by itself); steps for which it decides by itself, now
   and the next time; time of its last event; quick returns; branch that it takes at the event just located (0: none) */
typedef struct { double g, mode, rest, next, last, returns, turn; } Follow;
typedef struct { double usual, passed, t, h, bound, rated; } Course; /* a usual step; break that was passed; of periods */
typedef struct { double p, rate; } Cycle;

/* what begins to slide at the event just located, and what ceases to (-1: nothing), on which branch */
typedef struct { uint8_t begins[MOST_CONDITIONS]; int64_t ends; double branch; } Turns;

static double sign_of(double x) { return (double)((x > 0.0) - (x < 0.0)); }
static Follow *follows(Model *m) { return (Follow *)at(m, m->model->layout->follows); }
static Course *course(Model *m) { return (Course *)(follows(m) + m->model->layout->conditions); }
static Cycle *cycles(Model *m) { return (Cycle *)(course(m) + 1); }
static double *slid(Model *m) { return (double *)(cycles(m) + m->model->layout->phases); } /* of each row: whether it slides now */
#define EACH_SLIDE for (int64_t i = 0; i < m->model->layout->slides; i++)

static int sample_watch(Model *m, int64_t handle, int64_t which, double t, const double *y) {
    const Layout *a = m->model->layout;
    void *raised, *out;
    for (int64_t k = 0; k < a->copies; k++) {
        const Copy *c = m->model->copies + k;
        if (c->watch == which) *at(m, c->mine) = *at(m, c->theirs);
    }
    share(m, which, t);
    return failed(m, holonom_sample(&out, &raised, at(m, handle), t, ARRAY(y, a->ny), 1), 0);
}
static int values(Model *m, double t, const double *y, double *g) {
    const Layout *a = m->model->layout;
    if (sample_watch(m, a->watch, 1, t, y)) return 1;
    for (int64_t k = 0; k < a->conditions; k++) g[k] = *at(m, m->model->conditions[k].value);
    return 0;
}

/* ---- integrals that slide along a limit: see sliding.py for what each function does ---- */
#define APART 1e-3
#define CLOSE 1e-9
#define ON_LIMIT 1e-9
static int settle(Model *m, double t, double *y) {
    double g[MOST_CONDITIONS];
    int any = 0;
    EACH_SLIDE any |= slid(m)[i] != 0.0;
    if (!any) return 0;
    if (values(m, t, y, g)) return 1;
    EACH_SLIDE {
        const Slide *s = m->model->slides + i;
        if (slid(m)[i] != 0.0 && s->side * g[s->excess] < 0.0) y[s->state] -= g[s->excess];
    }
    return 0;
}
static void hold_slides(Model *m, const double *g) { /* the branches beyond the limits; what has left its limit slides no longer */
    const double *y = at(m, m->model->layout->y);
    EACH_SLIDE {
        const Slide *s = m->model->slides + i;
        if (!(fabs(g[s->excess]) <= ON_LIMIT * (fabs(y[s->state]) + fabs(s->limit)))) slid(m)[i] = 0.0;
    }
    EACH_SLIDE if (slid(m)[i] != 0.0) follows(m)[m->model->slides[i].excess].mode = m->model->slides[i].side;
}
static int values_within(Model *m, double t, uint8_t *ready, double *g);
static int slide_rates(Model *m, const Slide *s, double t, double begin, uint8_t *ready, double *beyond, double *rate) {
    double end = m->head->t, wide = APART * (end - begin), a[MOST_CONDITIONS], b[MOST_CONDITIONS];
    double low = fmin(fmax(t - 0.5 * wide, begin), end - wide);
    if (values_within(m, low, ready, a) || values_within(m, low + wide, ready, b)) return 1;
    *beyond = s->side * (b[s->excess] - a[s->excess]) / wide;
    *rate = s->side * 0.5 * (a[s->rate] + b[s->rate]);
    return 0;
}
static int slides_begin(Model *m, double t, double begin, uint8_t *ready, Turns *turns) { /* at an event within the last step */
    EACH_SLIDE {
        const Slide *s = m->model->slides + i;
        const Follow *f = follows(m) + s->excess;
        double beyond, rate;
        if (slid(m)[i] != 0.0 || f->turn == 0.0) continue;
        if (slide_rates(m, s, t, begin, ready, &beyond, &rate)) return 1;
        if (f->mode != s->side) beyond -= rate; /* it came from within */
        turns->begins[i] = beyond < 0.0 && 0.0 < beyond + rate;
    }
    return 0;
}
static const double inside[] = {0.1, 0.27, 0.5, 0.73, 0.9};
static int slides_end(Model *m, double begin, uint8_t *ready, Turns *turns, double *until) { /* when the first ceases to, within a step */
    double end = m->head->t, h = end - begin, beyond, rate;
    *until = end;
    EACH_SLIDE {
        const Slide *s = m->model->slides + i;
        double before = begin;
        if (slid(m)[i] == 0.0) continue;
        for (int k = 0; k <= 5; k++) {
            double t = k < 5 ? begin + inside[k] * h : end;
            if (t > *until) break;
            if (slide_rates(m, s, t, begin, ready, &beyond, &rate)) return 1;
            if (fmin(-beyond, beyond + rate) > 0.0) { before = t; continue; }
            while (t - before > CLOSE * h) {
                double middle = 0.5 * (before + t);
                if (slide_rates(m, s, middle, begin, ready, &beyond, &rate)) return 1;
                if (fmin(-beyond, beyond + rate) > 0.0) before = middle;
                else t = middle;
            }
            *until = t;
            if (slide_rates(m, s, t, begin, ready, &beyond, &rate)) return 1;
            turns->ends = i;
            turns->branch = beyond + rate <= 0.0 ? -s->side : s->side;
            break;
        }
    }
    return 0;
}
static int is_held(Model *m, int64_t k) { /* and its change is an event */
    if (follows(m)[k].mode == 0.0) return 0;
    EACH_SLIDE if (slid(m)[i] != 0.0 && m->model->slides[i].excess == k) return 0;
    return 1;
}

static int later_state(Model *m, double moment) { /* the state a moment later, at its present rates, into q */
    const Layout *a = m->model->layout;
    void *raised;
    int64_t none;
    return failed(m, holonom_later(&none, &raised, at(m, a->whole), ARRAY(at(m, a->y), a->ny), m->head->t, moment,
                                   ARRAY(at(m, a->q), a->ny)), 0);
}
static void hold_branches(Model *m) {
    for (int64_t k = 0; k < m->model->layout->conditions; k++) *at(m, m->model->conditions[k].held) = follows(m)[k].mode;
}
static int follow(Model *m) { /* before the integrator starts: hold the branches that the conditions have */
    const Layout *a = m->model->layout;
    double g[MOST_CONDITIONS], ahead[MOST_CONDITIONS], t = m->head->t;
    Follow *f = follows(m);
    if (a->phases && at(m, a->control)[DONE] == 0.0) { course(m)->t = NAN; course(m)->bound = INFINITY; course(m)->rated = 0.0; }
    if (!a->conditions) return 0;
    if (values(m, t, at(m, a->y), g) || later_state(m, a->moment) || values(m, t + a->moment, at(m, a->q), ahead)) return 1;
    for (int64_t k = 0; k < a->conditions; k++) {
        double side = sign_of(ahead[k]);
        f[k].g = g[k];
        f[k].turn = 0.0;
        f[k].mode = m->model->conditions[k].known && f[k].rest == 0.0 ? side != 0.0 ? side : sign_of(g[k]) : 0.0;
    }
    hold_slides(m, g);
    hold_branches(m);
    return 0;
}

static int values_within(Model *m, double t, uint8_t *ready, double *g) { /* at a time of the last step */
    const Layout *a = m->model->layout;
    const double *control = at(m, a->control);
    void *raised, *none;
    if (t == m->head->t) return values(m, t, at(m, a->y), g);
    int status = holonom_between(&none, &raised, at(m, a->step), ARRAY(at(m, a->y), a->ny), control[BEGUN], control[DONE], t, *ready,
                                 ARRAY(at(m, a->q), a->ny));
    *ready = 1;
    return failed(m, status, 0) || values(m, t, at(m, a->q), g);
}
static int crossed(Model *m, const double *g, int timed) { /* by a condition that is held */
    for (int64_t k = 0; k < m->model->layout->conditions; k++) {
        double mode = follows(m)[k].mode;
        if (g[k] * mode <= 0.0 && is_held(m, k) && (!timed || m->model->conditions[k].timed)) return 1;
    }
    return 0;
}
static double least(Model *m, const double *g, const double *scale) {
    double low = INFINITY;
    for (int64_t k = 0; k < m->model->layout->conditions; k++)
        if (scale[k] > 0.0) low = fmin(low, g[k] * follows(m)[k].mode / scale[k]);
    return low;
}
static void count_returns(Model *m, double t, const double *g, double h) { /* one that chatters decides by itself for a while */
    for (int64_t k = 0; k < m->model->layout->conditions; k++) {
        Follow *f = follows(m) + k;
        f->turn = 0.0;
        if (!(g[k] * f->mode <= 0.0 && is_held(m, k))) continue;
        int quick = t - f->last < SHORT * fmax(course(m)->usual, h);
        f->returns = quick ? f->returns + 1.0 : fmax(f->returns - 0.5, 0.0);
        f->last = t;
        f->turn = -f->mode;
        if (!(f->returns >= CHATTER)) continue;
        f->rest = f->next;
        f->next = fmin(2.0 * f->next, LONGEST_REST);
        f->returns = 0.0;
    }
}
static int locate(Model *m, double lo, const double *g_lo, double hi, double *g_hi, uint8_t *ready, double *event) {
    double scale[MOST_CONDITIONS], now[MOST_CONDITIONS], h = at(m, m->model->layout->control)[DONE];
    int64_t n = m->model->layout->conditions;
    int side = 0;
    for (int64_t k = 0; k < n; k++) {
        double mode = follows(m)[k].mode;
        scale[k] = g_hi[k] * mode <= 0.0 && is_held(m, k) ? fmax(fabs(g_hi[k] - g_lo[k]), 1e-300) : 0.0;
    }
    double f_lo = fmax(least(m, g_lo, scale), 0.0), f_hi = least(m, g_hi, scale);
    double near = fmax(4e-16 * fmax(fabs(lo), fabs(hi)), 1e-13 * h);
    for (int n = 0; n < 60; n++) { /* Illinois */
        if (hi - lo <= near || f_hi == 0.0) break;
        double t = f_hi < f_lo ? hi - f_hi * (hi - lo) / (f_hi - f_lo) : 0.5 * (lo + hi);
        t = fmin(fmax(t, lo + 0.5 * near), hi - 0.5 * near);
        if (values_within(m, t, ready, now)) return 1;
        double f = least(m, now, scale);
        if (f <= 0.0) {
            hi = t;
            f_hi = f;
            if (side < 0) f_lo = 0.5 * f_lo;
            side = -1;
        } else {
            lo = t;
            f_lo = f;
            if (side > 0) f_hi = 0.5 * f_hi;
            side = 1;
        }
    }
    if (values_within(m, hi, ready, now)) return 1;
    count_returns(m, hi, now, h);
    *event = hi;
    return 0;
}
/* time at which the first condition changes within the last step, NAN: none; lost: trials of the step that gave no number */
static int check(Model *m, double begin, double lost, uint8_t *ready, double *event, Turns *turns) {
    const Layout *a = m->model->layout;
    const Condition *c = m->model->conditions;
    Follow *f = follows(m);
    double end, h, g_end[MOST_CONDITIONS], g[MOST_CONDITIONS], before[MOST_CONDITIONS], jump = NAN;
    int64_t n = a->conditions;
    int timed = 0, moved = 0, doubtful = 0;
    *event = NAN;
    memset(turns->begins, 0, sizeof turns->begins);
    turns->ends = -1;
    if (slides_end(m, begin, ready, turns, &end) || values_within(m, end, ready, g_end)) return 1;
    h = end - begin;
    for (int64_t k = 0; k < n; k++) {
        if (!is_held(m, k)) continue;
        timed |= c[k].curved != 0;
        if (c[k].timed || !c[k].known) continue;
        moved = 1;
        doubtful |= fmin(fabs(g_end[k]), fabs(f[k].g)) <= 2.0 * fabs(g_end[k] - f[k].g);
    }
    for (int i = 0; timed && i < TIMED; i++) { /* of time alone: values without the state */
        double t = begin + m->model->spots[i] * h;
        if (values(m, t, at(m, a->y), g)) return 1;
        if (crossed(m, g, 1)) { jump = t; break; }
    }
    double last = jump == jump ? jump : end, t_before = begin;
    for (int64_t k = 0; k < n; k++) before[k] = f[k].g;
    for (int i = 0; i <= 6; i++) { /* points inside, the one where time alone has changed something, the end */
        double t = i < 5 ? begin + inside[i] * h : i == 5 ? jump : end;
        if ((i < 5 && !(moved && doubtful && t < last)) || !(t == t)) continue;
        if (i == 6) memcpy(g, g_end, sizeof *g * n);
        else if (values_within(m, t, ready, g)) return 1;
        if (crossed(m, g, 0)) {
            turns->ends = -1;
            return locate(m, t_before, before, t, g, ready, event) || slides_begin(m, *event, begin, ready, turns);
        }
        t_before = t;
        memcpy(before, g, sizeof *g * n);
    }
    if (turns->ends >= 0) {
        for (int64_t k = 0; k < n; k++) f[k].turn = 0.0;
        f[m->model->slides[turns->ends].excess].turn = turns->branch;
        *event = end;
        return 0;
    }
    Course *usual = course(m);
    double done = at(m, a->control)[DONE];
    usual->usual = usual->usual == 0.0 ? done : 0.8 * usual->usual + 0.2 * done;
    int changed = 0;
    for (int64_t k = 0; k < n; k++) {
        double mode = f[k].mode;
        if (f[k].rest > 0.0) f[k].rest -= 1.0;
        if (lost > 1.0 && mode != 0.0) f[k].rest = fmax(f[k].rest, 10.0); /* a held branch may have left its domain */
        f[k].g = g_end[k];
        f[k].mode = c[k].known && f[k].rest == 0.0 ? mode != 0.0 ? mode : sign_of(g_end[k]) : 0.0;
        changed |= f[k].mode != mode;
    }
    if (changed) hold_branches(m);
    return 0;
}
static int turn(Model *m, double event, uint8_t *ready, const Turns *at_event) { /* go on from an event with the other branches */
    const Layout *a = m->model->layout;
    double turns[MOST_CONDITIONS];
    Follow *f = follows(m);
    if (look(m, event, 1, ready)) return 1;
    memcpy(at(m, a->y), at(m, a->q), 8 * a->ny);
    m->head->t = event;
    if (settle(m, event, at(m, a->y))) return 1;
    if (at_event->ends >= 0) slid(m)[at_event->ends] = 0.0;
    for (int64_t k = 0; k < a->conditions; k++) turns[k] = f[k].turn;
    if (follow(m)) return 1;
    for (int64_t k = 0; k < a->conditions; k++) if (turns[k] != 0.0) f[k].mode = f[k].rest == 0.0 ? turns[k] : 0.0;
    EACH_SLIDE if (at_event->begins[i]) {
        slid(m)[i] = 1.0;
        f[m->model->slides[i].excess].mode = m->model->slides[i].side;
    }
    hold_branches(m);
    return restart(m, at(m, a->control)[DONE]);
}

/* ---- times at which steps end ---- */
static int broken(Model *m) { /* a motion has a corner here: the integrator begins again behind it */
    const Layout *a = m->model->layout;
    Course *c = course(m);
    for (int64_t k = 0; k < a->breaks; k++) {
        const Break *b = m->model->breaks + k;
        if (!(b->before > c->passed)) continue;
        if (!(m->head->t >= b->before)) return 0;
        c->passed = b->before;
        if (b->anew && m->head->t <= b->after) { m->head->t = b->after; return 1; }
    }
    return 0;
}
static int bound(Model *m, double *until) { /* by the periods of what repeats itself */
    const Layout *a = m->model->layout;
    Course *c = course(m);
    Cycle *z = cycles(m);
    double t = m->head->t, p[MOST_CONDITIONS], rates[MOST_CONDITIONS], grown[MOST_CONDITIONS];
    const Phase *of = m->model->phases;
    if (t == c->t) { *until = fmin(*until, t + c->bound); return 0; }
    if (sample_watch(m, a->cycled, 2, t, at(m, a->y))) return 1;
    for (int64_t k = 0; k < a->phases; k++) p[k] = *at(m, of[k].value);
    if (c->t < t) {
        double h = t - c->t;
        for (int64_t k = 0; k < a->phases; k++) {
            double turned = p[k] - z[k].p;
            if (c->rated != 0.0 && of[k].jumps) turned = turned - rint(turned - z[k].rate * h);
            double rate = turned / h;
            grown[k] = c->rated != 0.0 ? (rate - z[k].rate) / (0.5 * (h + c->h)) : 0.0;
            z[k].rate = rate;
            rates[k] = rate + 0.5 * h * grown[k];
        }
        c->h = h;
        c->rated = 1.0;
    } else {
        if (later_state(m, a->instant) || sample_watch(m, a->cycled, 2, t + a->instant, at(m, a->q))) return 1;
        for (int64_t k = 0; k < a->phases; k++) {
            rates[k] = (*at(m, of[k].value) - p[k]) / a->instant;
            grown[k] = 0.0;
        }
        c->rated = 0.0;
    }
    double least = INFINITY;
    for (int64_t k = 0; k < a->phases; k++) {
        double r = fabs(rates[k]), low = r + sqrt(r * r + 2.0 * fabs(grown[k]) * of[k].share);
        z[k].p = p[k];
        if (isfinite(low) && low > 0.0) least = fmin(least, 2.0 * of[k].share / low);
    }
    c->t = t;
    if (!(KEEPS_BOUND * least <= c->bound && c->bound <= least)) c->bound = least;
    *until = fmin(*until, t + c->bound);
    return 0;
}
static int stops(Model *m, double *until) { /* what bounds the next step */
    const Layout *a = m->model->layout;
    double t = m->head->t;
    for (int64_t k = 0; k < a->breaks; k++)
        if (m->model->breaks[k].before > course(m)->passed) { *until = fmin(*until, m->model->breaks[k].before); break; }
    for (int64_t k = 0; k < a->pulses; k++) /* few */
        if (m->model->pulses[k] > t + a->near) { *until = fmin(*until, m->model->pulses[k]); break; }
    return a->phases ? bound(m, until) : 0;
}
