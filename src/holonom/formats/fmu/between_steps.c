/* What happens between two steps of the integrator: samples of control blocks, sensors, the past of delayed expressions.
   Part of runtime.c; the numbers are those of `analyses.dynamics` (sampling.py, sensors.py, past.py). */

#define NEAR 1e-9 /* a sample so many periods ahead is due */
enum { POINTS = 5, MOST_SENSORS = 64 };

static int look(Model *m, double t, int64_t sweeps, uint8_t *ready) { /* all outputs at a time of the last step; the state into q */
    const Layout *a = m->model->layout;
    const double *control = at(m, a->control);
    int64_t why = 0;
    void *raised, *none;
    int status = 0;
    if (t == m->head->t) memcpy(at(m, a->q), at(m, a->y), 8 * a->ny);
    else {
        status = holonom_between(&none, &raised, at(m, a->step), ARRAY(at(m, a->y), a->ny), control[BEGUN], control[DONE], t, *ready,
                                 ARRAY(at(m, a->q), a->ny));
        *ready = 1;
    }
    if (status || settle(m, t, at(m, a->q))) return failed(m, 1, 0);
    if (a->inside >= 0) *(int64_t *)at(m, a->inside) = 1;
    status = holonom_evaluate(&why, &raised, at(m, a->whole), at(m, a->outputs), ARRAY(at(m, a->q), a->ny), t,
                                           (uint8_t)m->head->counted, sweeps);
    if (a->inside >= 0) *(int64_t *)at(m, a->inside) = 0;
    m->head->counted = 1;
    touched(m);
    return failed(m, status, crowded(m, why));
}

static void share(Model *m, int64_t watch, double t) { /* turns of angles are those that outputs or the equations of motion have counted */
    for (int64_t k = 0; k < m->model->layout->shares; k++) {
        const Share *s = m->model->shares + k;
        if (s->watch != watch) continue;
        double *mine = at(m, s->mine);
        const double *theirs = at(m, s->theirs);
        mine[0] = theirs[0] + theirs[1] * (t - *at(m, s->clock));
        mine[1] = 0.0;
    }
}

/* ---- random numbers of a sample: Philox 4x64 with 10 rounds (Salmon et al., SC'11) ---- */
static void uniforms(int64_t seed, int64_t sample, int64_t count, double *out) {
    uint64_t c[4] = {0, 0, (uint64_t)sample, 0};
    for (int64_t n = 0; n < count; n++) {
        static const uint64_t by[2] = {0xD2E7470EE14C6C93u, 0xCA5A826395121157u}, more[2] = {0x9E3779B97F4A7C15u, 0xBB67AE8584CAA73Bu};
        uint64_t x[4], key[2] = {(uint64_t)seed, 0x9E3779B97F4A7C15u};
        if (n % 4 == 0 && !++c[0] && !++c[1] && !++c[2]) ++c[3];
        memcpy(x, c, sizeof x);
        for (int round = 0; round < 10; round++) {
            unsigned __int128 p = (unsigned __int128)by[0] * x[0], q = (unsigned __int128)by[1] * x[2];
            uint64_t y[4] = {(uint64_t)(q >> 64) ^ x[1] ^ key[0], (uint64_t)q, (uint64_t)(p >> 64) ^ x[3] ^ key[1], (uint64_t)p};
            memcpy(x, y, sizeof x);
            key[0] += more[0];
            key[1] += more[1];
        }
        out[n] = ((double)(x[n % 4] >> 11) + 0.5) * 0x1p-53;
    }
}

static double series(double x, const double *c, int n, double first) {
    double v = first;
    for (int k = 0; k < n; k++) v = v * x + c[k];
    return v;
}
static double inverse_normal(double u) { /* the argument at which the normal distribution is u; Cephes (Moshier), ndtri */
    static const double tail = 0.13533528323661269189, /* exp(-2) */
        p0[] = {9.80010754185999661536E1, -5.66762857469070293439E1, 1.39312609387279679503E1, -1.23916583867381258016E0},
        q0[] = {4.67627912898881538453E0, 8.63602421390890590575E1, -2.25462687854119370527E2, 2.00260212380060660359E2,
                -8.20372256168333339912E1, 1.59056225126211695515E1, -1.18331621121330003142E0},
        p1[] = {3.15251094599893866154E1, 5.71628192246421288162E1, 4.40805073893200834700E1, 1.46849561928858024014E1,
                2.18663306850790267539E0, -1.40256079171354495875E-1, -3.50424626827848203418E-2, -8.57456785154685413611E-4},
        q1[] = {4.53907635128879210584E1, 4.13172038254672030440E1, 1.50425385692907503408E1, 2.50464946208309415979E0,
                -1.42182922854787788574E-1, -3.80806407691578277194E-2, -9.33259480895457427372E-4},
        p2[] = {6.91522889068984211695E0, 3.93881025292474443415E0, 1.33303460815807542389E0, 2.01485389549179081538E-1,
                1.23716634817820021358E-2, 3.01581553508235416007E-4, 2.65806974686737550832E-6, 6.23974539184983293730E-9},
        q2[] = {3.67983563856160859403E0, 1.37702099489081330271E0, 2.16236993594496635890E-1, 1.34204006088543189037E-2,
                3.28014464682127739104E-4, 2.89247864745380683936E-6, 6.79019408009981274425E-9};
    int low = 1;
    if (u > 1.0 - tail) { u = 1.0 - u; low = 0; }
    if (u > tail) {
        double y = u - 0.5, z = y * y;
        double x = y + y * (z * series(z, p0, 4, -5.99633501014107895267E1) / series(z, q0, 7, z + 1.95448858338141759834E0));
        return x * 2.50662827463100050242E0; /* sqrt(2 pi) */
    }
    double x = sqrt(-2.0 * log(u)), z = 1.0 / x, y = x - log(x) / x;
    double d = x < 8.0 ? z * series(z, p1, 8, 4.05544892305962419923E0) / series(z, q1, 7, z + 1.57799883256466749731E1)
                       : z * series(z, p2, 8, 3.23774891776946035970E0) / series(z, q2, 7, z + 6.02427039364742014255E0);
    return low ? -(y - d) : y - d;
}

/* ---- samples of control blocks ---- */
static double sample_time(const Sampler *b, int64_t k) {
    double late = 0.0, u;
    if (b->jitter != 0.0) { uniforms(b->seed, -1 - k, 1, &u); late = b->jitter * u; }
    return b->offset + (double)k * b->period + late;
}
static int is_due(const Sampler *b, double next, double t) { return t >= next - NEAR * b->period - 1e-15 * fabs(t); }
static int due(Model *m) { /* a sample or a release is */
    const Layout *a = m->model->layout;
    for (int64_t k = 0; k < a->samplers; k++) {
        const double *next = at(m, a->clocks) + 2 * k;
        if (is_due(m->model->samplers + k, next[0], m->head->t) || is_due(m->model->samplers + k, next[1], m->head->t)) return 1;
    }
    return 0;
}
static int functions(Model *m) { /* of the inputs and laws of sampled blocks */
    const Layout *a = m->model->layout;
    void *raised, *none;
    double *y = at(m, a->y);
    if (a->late) return holonom_outputs(&none, &raised, at(m, a->sampled), m->head->t, ARRAY(y, a->ny));
    return holonom_sample(&none, &raised, at(m, a->sampled), m->head->t, ARRAY(y, a->ny), 1);
}
static int sample_now(Model *m) { /* all that is due at the present time; the integrator restarts afterwards */
    const Layout *a = m->model->layout;
    double t = m->head->t, *y = at(m, a->y), *clocks = at(m, a->clocks);
    int64_t numbers[256];
    uint8_t none = 0;
    if (look(m, t, 0, &none)) return 1;
    memcpy(y, at(m, a->q), 8 * a->ny);
    m->head->jump = 1;
    for (int64_t k = 0; k < a->samplers; k++) {
        const Sampler *b = m->model->samplers + k;
        int now = is_due(b, clocks[2 * k], t);
        if (is_due(b, clocks[2 * k + 1], t)) {
            for (int64_t c = 0; c < b->outputs; c++) y[b->first + b->held + c] = y[b->first + b->held + b->outputs + c];
            clocks[2 * k + 1] = INFINITY;
        }
        numbers[k] = -1;
        if (now) {
            int64_t n = (int64_t)floor((t - b->offset) / b->period + NEAR);
            numbers[k] = n = n > 0 ? n : 0;
            if (b->delay != 0.0) clocks[2 * k + 1] = sample_time(b, n) + b->delay;
            clocks[2 * k] = sample_time(b, n + 1);
        }
    }
    share(m, 0, t);
    for (int64_t k = 0; k < a->samplers; k++) {
        const Sampler *b = m->model->samplers + k;
        if (numbers[k] < 0 || !b->draws) continue;
        uniforms(b->seed, numbers[k], b->draws, y + b->first + b->drawn);
        for (int64_t c = 0; c < b->draws; c++) y[b->first + b->drawn + c] = inverse_normal(y[b->first + b->drawn + c]);
    }
    int changes = 0;
    for (int64_t i = 0; i < a->samplers; i++) {
        const Sampler *b = m->model->samplers + m->model->samplers[i].order;
        if (numbers[m->model->samplers[i].order] < 0) continue;
        if (functions(m)) return failed(m, 1, 0);
        const int64_t *list = m->model->indices + b->list;
        for (int64_t c = 0; c < b->outputs; c++) {
            double v = *at(m, list[c]);
            if (!isfinite(v)) return failed(m, 0, NOT_FINITE);
            y[b->first + b->computed + c] = v;
        }
        changes |= b->changes > 0;
    }
    if (changes && functions(m)) return failed(m, 1, 0);
    for (int64_t k = 0; k < a->samplers && changes; k++) {
        const Sampler *b = m->model->samplers + k;
        for (int64_t c = 0; c < b->changes && numbers[k] >= 0; c++) y[b->first + c] = *at(m, m->model->indices[b->list + b->outputs + c]);
    }
    return 0;
}

/* ---- the past of delayed expressions: see past.py for what each function does ---- */
enum { SEEN = 7, NODES = 5, SOME = 64, DEEP = 36, MOST_HALVINGS = 256, SMOOTH = 8 };
enum { LEVEL = 2 + NODES, LARGEST = 3 + NODES }; /* of a row */
#define NO_BREAK (-1.0)
static double polynomial(const double *v, int64_t stride, double x) { /* of degree four, with values at 0, 1/4 ... 1 */
    static const double weight[NODES] = {32.0 / 3.0, -128.0 / 3.0, 64.0, -128.0 / 3.0, 32.0 / 3.0};
    double sum = 0.0, whole = 0.0;
    for (int k = 0; k < NODES; k++) {
        if (x == 0.25 * k) return v[k * stride];
        double w = weight[k] / (x - 0.25 * k);
        sum += w * v[k * stride];
        whole += w;
    }
    return whole == 0.0 ? v[x < 0.0 ? 0 : (NODES - 1) * stride] : sum / whole; /* far outside */
}
static double past_value(const Past *p, double t) {
    int64_t low = 0, high = p->count;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (p->rows[mid][1] < t) low = mid + 1;
        else high = mid;
    }
    const double *row = p->rows[low < p->count ? low : p->count - 1];
    return polynomial(row + 2, 1, (t - row[0]) / (row[1] - row[0]));
}
static int64_t delayed(int64_t set, int64_t index, double *buffer) { /* what a kernel asks of routine ``index`` of a set of functions */
    Model *m = current;
    const Layout *a = m->model->layout;
    for (int64_t k = 0; k < a->delays; k++) {
        const Delay *d = m->model->delays + k;
        if (d->set != set || d->index != index) continue;
        double *lag = at(m, a->lags) + SEEN * k;
        if (d->by >= 0) *lag = buffer[17] > 0.0 ? buffer[17] : 0.0;
        const Past *p = m->pasts + d->past;
        double t = buffer[16] - *lag;
        buffer[0] = t >= p->start ? past_value(p, t) : d->history;
        return !isfinite(buffer[0]);
    }
    return 1;
}
static int64_t delayed_0(int64_t index, double *buffer) { return delayed(0, index, buffer); }
static int64_t delayed_1(int64_t index, double *buffer) { return delayed(1, index, buffer); }
static int64_t delayed_2(int64_t index, double *buffer) { return delayed(2, index, buffer); }
static const function callbacks[] = {(function)delayed_0, (function)delayed_1, (function)delayed_2};

static int room_for(Past *p, int64_t count) {
    if (count <= p->room) return 0;
    int64_t room = count + p->room + 64;
    void *rows = realloc(p->rows, sizeof *p->rows * room);
    if (!rows) return 1;
    p->rows = rows;
    p->room = room;
    return 0;
}
static int add_past(Past *p, const double *row) {
    if (!(row[1] > row[0])) return 0;
    double late = row[0] - 1.001 * p->longest;
    if (p->count > SOME && p->rows[SOME][0] < late) { /* pieces that no delay reaches */
        int64_t old = SOME;
        while (old < p->count - 1 && p->rows[old + 1][0] < late) old++;
        memmove(p->rows, p->rows + old, sizeof *p->rows * (p->count -= old));
    }
    if (room_for(p, p->count + 1)) return 1;
    if (!p->count) p->start = row[0];
    memcpy(p->rows[p->count++], row, sizeof *p->rows);
    return 0;
}

static double side(double moment, double lag) { return 8.0 * 2.220446049250313e-16 * fmax(fabs(moment), lag); }
static int64_t first_row(const Past *p, double begin) { /* that does not begin before */
    int64_t low = 0, high = p->count;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (p->rows[mid][0] < begin) low = mid + 1;
        else high = mid;
    }
    return low;
}
/* breaks that arrive about time t or later: the next row that has one, from ``k`` on; -1: the first, returns -1: none is left */
static int64_t next_break(const Past *p, double lag, double t, int64_t k) {
    if (k < 0) k = first_row(p, t - lag - 2.0 * NEAR * lag);
    else k++;
    while (k < p->count && p->rows[k][LEVEL] == NO_BREAK) k++;
    return k < p->count ? k : -1;
}
#define EACH_DELAY \
    for (const Delay *d = m->model->delays; d < m->model->delays + m->model->layout->delays; d++) if (d->kept && d->by < 0)
#define EACH_BREAK(t) \
    for (int64_t k = next_break(m->pasts + d->past, d->lag, t, -1); k >= 0; k = next_break(m->pasts + d->past, d->lag, t, k))

static double due_break(Model *m, double t) {
    double least = INFINITY;
    EACH_DELAY EACH_BREAK(t) {
        const double *row = m->pasts[d->past].rows[k];
        if (fabs(row[0] + d->lag - t) <= NEAR * d->lag) least = fmin(least, row[LEVEL]);
    }
    return least;
}
static double exact_time(Model *m, double t) {
    double least = INFINITY;
    EACH_DELAY EACH_BREAK(t) {
        const double *row = m->pasts[d->past].rows[k];
        if (row[LEVEL] == 0.0 && fabs(row[0] + d->lag - t) <= 1.5 * side(row[0], d->lag)) least = fmin(least, row[0] + d->lag);
    }
    return least < INFINITY ? least : t;
}
static double short_way(double lag, double t) { return fmax(1e-12 * lag, 16.0 * 2.220446049250313e-16 * fabs(t)); }
/* when the next jump arrives by a delay that varies: a time before and one behind; 0: there is none */
static int arrival(Model *m, const Delay *d, double t, double *before, double *after) {
    const double *x = at(m, m->model->layout->lags) + SEEN * (d - m->model->delays), lag = x[0];
    const Past *p = m->pasts + d->past;
    if (!(x[5] == x[5])) return 0;
    double t0 = x[1], s0 = x[2], tm = x[3], sm = x[4], t1 = x[5], s1 = x[6];
    double late = (s1 - sm) / (t1 - tm), early = (sm - s0) / (tm - t0), bend = (late - early) / (t1 - t0);
    double slope = late + bend * (t1 - tm), passed = s1 + (t - t1) * (slope + bend * (t - t1)) - 0.5 * slope * short_way(lag, t);
    if (!(slope > 0.0) || !(lag > 0.0)) return 0;
    int64_t k = first_row(p, passed);
    while (k < p->count && !(p->rows[k][LEVEL] == 0.0 && p->rows[k][0] > passed)) k++;
    if (k == p->count) return 0;
    double moment = p->rows[k][0], under = slope * slope + 4.0 * bend * (moment - s1);
    double way = under > 0.0 ? 2.0 * (moment - s1) / (slope + sqrt(under)) : (moment - s1) / slope;
    double share = (way + t1 - t0) / lag, margin = fabs(way) * (fmin(0.1, share * share) + 1e-3);
    *before = t1 + way - margin;
    *after = t1 + way + 1e-3 * margin + short_way(lag, t);
    return 1;
}
#define EACH_VARYING \
    for (const Delay *d = m->model->delays; d < m->model->delays + m->model->layout->delays; d++) if (d->kept && d->by >= 0)
static int behind(Model *m, double last) { /* what is late jumps now: the integrator begins again behind it */
    double t = m->head->t, found = -INFINITY;
    EACH_DELAY EACH_BREAK(t) {
        const double *row = m->pasts[d->past].rows[k];
        double late = row[0] + d->lag, by = side(row[0], d->lag);
        if (late - by > t + 1e-13 * fmax(fabs(t), d->lag)) break;
        if (row[LEVEL] == 0.0 && t < late + by && late + by <= last) found = fmax(found, late + by);
    }
    EACH_VARYING {
        double before, after, lag = at(m, m->model->layout->lags)[SEEN * (d - m->model->delays)];
        if (arrival(m, d, t, &before, &after) && before <= t + short_way(lag, t) && t < after && after <= last) found = fmax(found, after);
    }
    if (found > t) m->head->t = found;
    return found > t;
}

/* the past of a step that was accepted: n sources; samples of them lie one after the other */
typedef struct {
    Model *m;
    double begin, end, inside, late, largest[64];
    int64_t n, left;
    uint8_t *ready, first[64];
    const Delay *of[64];
} Keeping;
static double error_of(Model *m) { return at(m, m->model->layout->control)[ERROR_]; }
static int sample_past(Keeping *s, double t, double *to) {
    Model *m = s->m;
    const Layout *a = m->model->layout;
    t = fmin(fmax(t, s->begin + s->inside), s->end - s->inside);
    if (look(m, t, 0, s->ready)) return 1;
    for (int64_t k = 0; k < a->delays; k++) {
        const Delay *d = m->model->delays + k;
        if (!d->kept || d->by < 0) continue;
        double lag = *at(m, d->by);
        if (!(lag > 0.0) || (m->pasts[d->past].count && t - lag > s->begin + 1e-9 * (t - s->begin))) return failed(m, 0, TOO_LATE);
    }
    for (int64_t k = 0; k < s->n; k++) {
        to[k] = *at(m, s->of[k]->source);
        s->largest[k] = fmax(s->largest[k], fabs(to[k]));
    }
    return 0;
}
static void off_by(int64_t n, const double *nodes, const double *checks, double *off) {
    for (int64_t k = 0; k < n; k++)
        off[k] = fmax(fabs(polynomial(nodes + k, n, 0.125) - checks[k]), fabs(polynomial(nodes + k, n, 0.875) - checks[n + k]));
}
static double range(const double *v) {
    double low = v[0], high = v[0];
    for (int k = 1; k < NODES; k++) { low = fmin(low, v[k]); high = fmax(high, v[k]); }
    return high - low;
}
static double level_of(Keeping *s, int64_t k, const double *row) { /* what breaks between the past so far and a piece */
    Model *m = s->m;
    const Past *p = m->pasts + s->of[k]->past;
    double error = error_of(m), jump = fmax(error, 1e-9), varies = range(row + 2), largest = row[LARGEST];
    if (!p->count) {
        for (int64_t i = 0; i < m->model->layout->delays; i++) {
            const Delay *d = m->model->delays + i;
            if (d->kept && d->past == s->of[k]->past && fabs(d->history - row[2]) > jump * fmax(largest, fabs(d->history))) return 0.0;
        }
        return varies > 0.0 ? 1.0 : NO_BREAK;
    }
    const double *last = p->rows[p->count - 1];
    double leap = fabs(row[2] - last[1 + NODES]);
    if (leap > jump * largest && (m->head->restarted || leap > varies + range(last + 2))) return 0.0;
    if (s->late == INFINITY && !m->head->restarted) return NO_BREAK;
    double level = (s->late < INFINITY ? s->late : 0.0) + 1.0, reach = 0.25 * (row[1] - row[0]);
    if (reach < 0.0625 * (last[1] - last[0])) level = s->late < INFINITY ? level : NO_BREAK;
    else if (reach <= 4.0 * (last[1] - last[0]) && !(fabs(polynomial(last + 2, 1, (row[0] + reach - last[0]) / (last[1] - last[0])) - row[3]) > 0.3 * error * largest))
        return NO_BREAK;
    return level < SMOOTH ? level : NO_BREAK;
}
static int add_piece(Keeping *s, int64_t k, double *row) {
    Past *p = s->m->pasts + s->of[k]->past;
    row[LARGEST] = s->largest[k];
    if (s->first[k]) {
        double slowest = 0.0;
        Model *m = s->m;
        EACH_DELAY slowest = fmax(slowest, d->lag);
        double gap = p->count ? row[0] - p->rows[p->count - 1][1] : 0.0;
        if (gap > 0.0 && gap <= 1e-10 * fmax(fabs(row[0]), slowest)) p->rows[p->count - 1][1] = row[0];
        row[LEVEL] = level_of(s, k, row);
        s->first[k] = 0;
    }
    return add_past(p, row) && failed(s->m, 0, NO_MEMORY) ? 1 : 0;
}
static int keep_piece(Keeping *s, double begin, double end, const double *nodes, const double *checks, const double *off, int deep) {
    int64_t n = s->n;
    double whole = end - begin, fit = fmax(0.1 * error_of(s->m), 1e-12), middle = begin + 0.5 * whole;
    uint8_t fails[64];
    int any = 0, real = 0;
    for (int64_t k = 0; k < n; k++) any |= fails[k] = off[k] > fit * s->largest[k] && s->largest[k] > 1e-14;
    if (any && deep < DEEP && s->left > 0) {
        double inner[2 * n], half[2][NODES * n], between[2][2 * n], farther[2][n];
        s->left--;
        if (sample_past(s, begin + 0.375 * whole, inner) || sample_past(s, begin + 0.625 * whole, inner + n)) return 1;
        const double *from[2][NODES] = {{nodes, checks, nodes + n, inner, nodes + 2 * n},
                                        {nodes + 2 * n, inner + n, nodes + 3 * n, checks + n, nodes + 4 * n}};
        for (int h = 0; h < 2; h++) {
            double a = h ? middle : begin, b = h ? end : middle;
            for (int i = 0; i < NODES; i++) memcpy(half[h] + i * n, from[h][i], 8 * n);
            if (sample_past(s, a + 0.125 * (b - a), between[h]) || sample_past(s, a + 0.875 * (b - a), between[h] + n)) return 1;
            off_by(n, half[h], between[h], farther[h]);
        }
        for (int64_t k = 0; k < n; k++) /* what halving does not reduce may be noise */
            real |= fails[k] && !(fmin(farther[0][k], farther[1][k]) >= 0.5 * off[k] && off[k] <= 1e-6 * s->largest[k]);
        if (real) return keep_piece(s, begin, middle, half[0], between[0], farther[0], deep + 1) ||
                         keep_piece(s, middle, end, half[1], between[1], farther[1], deep + 1);
    }
    for (int64_t k = 0; k < n; k++) {
        double row[4 + NODES] = {begin, end, 0.0, 0.0, 0.0, 0.0, 0.0, NO_BREAK};
        int jumps = fails[k] && deep == DEEP;
        for (int i = 0; i < NODES; i++) row[2 + i] = nodes[(jumps ? 0 : i) * n + k];
        if (jumps) row[1] = middle;
        if (add_piece(s, k, row)) return 1;
        if (!jumps) continue;
        double other[4 + NODES] = {middle, end, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int i = 0; i < NODES; i++) other[2 + i] = nodes[4 * n + k];
        if (add_piece(s, k, other)) return 1;
    }
    return 0;
}
static int keep_past(Model *m, double begin, double end, uint8_t *ready) { /* values of the step that was accepted, up to ``end`` */
    const Layout *a = m->model->layout;
    double nodes[NODES * 64], checks[2 * 64], off[64], whole = end - begin;
    if (!(whole > 0.0)) return 0;
    Keeping s = {.m = m, .begin = begin, .end = end, .left = MOST_HALVINGS, .ready = ready};
    s.inside = fmin(fmax(4e-13 * whole, 2e-15 * fabs(end)), 1e-2 * whole);
    for (int64_t k = 0; k < a->delays; k++) {
        const Delay *d = m->model->delays + k;
        const Past *p = m->pasts + d->past;
        if (d->kept != 1) continue;
        s.largest[s.n] = p->count ? p->rows[p->count - 1][LARGEST] : 0.0;
        s.first[s.n] = 1;
        s.of[s.n++] = d;
    }
    s.late = due_break(m, begin);
    double first = exact_time(m, begin), last = exact_time(m, end);
    for (int i = 0; i < NODES; i++) {
        double t = first + 0.25 * i * (last - first);
        if (sample_past(&s, t, nodes + i * s.n)) return 1;
        t = fmin(fmax(t, begin + s.inside), end - s.inside);
        if (i % 2 == 0) EACH_VARYING {
            double *seen = at(m, a->lags) + SEEN * (d - m->model->delays) + 1 + i;
            seen[0] = t;
            seen[1] = t - *at(m, d->by);
        }
    }
    if (sample_past(&s, first + 0.125 * (last - first), checks) || sample_past(&s, first + 0.875 * (last - first), checks + s.n)) return 1;
    off_by(s.n, nodes, checks, off);
    int bad = keep_piece(&s, first, last, nodes, checks, off, 0);
    m->head->restarted = 0;
    return bad;
}

static double goal(Model *m, double until) { /* where the next step ends at the latest */
    const Layout *a = m->model->layout;
    double t = m->head->t, begin = m->head->restarted ? exact_time(m, t) : t;
    for (int64_t k = 0; k < 2 * a->samplers; k++) until = fmin(until, at(m, a->clocks)[k]);
    EACH_VARYING {
        double before, after, lag = at(m, a->lags)[SEEN * (d - m->model->delays)];
        if (lag > 0.0) until = fmin(until, t + 0.5 * lag);
        if (arrival(m, d, t, &before, &after) && before > t + short_way(lag, t)) until = fmin(until, before);
    }
    EACH_DELAY {
        until = fmin(until, begin + d->lag - (m->head->restarted ? side(begin, d->lag) : 0.0));
        EACH_BREAK(t) {
            const double *row = m->pasts[d->past].rows[k];
            double late = row[0] + d->lag, before = late - side(row[0], d->lag);
            if (row[LEVEL] > 0.0 && late > t + NEAR * d->lag) { until = fmin(until, late); break; }
            if (row[LEVEL] == 0.0 && before > t + 1e-13 * fmax(fabs(t), d->lag)) { until = fmin(until, before); break; }
        }
    }
    return until;
}

/* ---- sensors: see sensors.py for what each function does ---- */
typedef struct { double x[MOST_SENSORS]; } Offsets;
static int offsets(Model *m, double t, uint8_t *ready, Offsets *out) {
    const Layout *a = m->model->layout;
    if (look(m, t, 0, ready)) return 1;
    for (int64_t k = 0; k < a->sensors; k++) out->x[k] = *at(m, m->model->sensors[k].own) - m->model->sensors[k].value;
    return 0;
}
static int holds(const Sensor *s, double x) { return s->equal ? fabs(x) <= s->tolerance : s->sign * x + s->tolerance >= 0.0; }
static double side_of(const Sensor *s, double before) { return s->equal ? (before > 0.0 ? -1.0 : 1.0) : s->sign; }
static int hits(const Sensor *s, double armed, double before, double now) {
    double side = side_of(s, before), was = side * before, is = side * now;
    return armed != 0.0 && ((was < 0.0 && is >= 0.0) || (was < 0.0 && was >= -s->tolerance && is <= was));
}
static int summit(Model *m, const double *points, const Offsets *rows, int k, uint8_t *ready, double *time, Offsets *found) {
    const Layout *a = m->model->layout;
    for (int64_t s = 0; s < a->sensors; s++) {
        const Sensor *e = m->model->sensors + s;
        double z[POINTS], side = side_of(e, rows[k - 1].x[s]), bend = 0.0, most = -INFINITY, tol = e->tolerance;
        for (int n = 0; n < POINTS; n++) { z[n] = side * rows[n].x[s]; most = fmax(most, z[n]); }
        for (int n = 0; n + 2 < POINTS; n++) bend = fmax(bend, fabs((z[n + 2] - z[n + 1]) - (z[n + 1] - z[n])));
        double top = fmax(z[k - 1], z[k]);
        if (at(m, a->guard)[2 * s] == 0.0 || !(z[k - 1] < -tol && z[k] < -tol && top + 0.5 * bend >= -tol && top >= most)) continue;
        double lo = points[k - 1], hi = points[k], ratio = 0.5 * (sqrt(5.0) - 1.0);
        double left = hi - ratio * (hi - lo), right = lo + ratio * (hi - lo);
        Offsets low, high;
        if (offsets(m, left, ready, &low) || offsets(m, right, ready, &high)) return -1;
        for (int n = 0; n < 40; n++) {
            if (side * low.x[s] > side * high.x[s]) {
                hi = right; right = left; high = low;
                left = hi - ratio * (hi - lo);
                if (offsets(m, left, ready, &low)) return -1;
            } else {
                lo = left; left = right; low = high;
                right = lo + ratio * (hi - lo);
                if (offsets(m, right, ready, &high)) return -1;
            }
        }
        if (offsets(m, 0.5 * (lo + hi), ready, found)) return -1;
        if (side * found->x[s] >= -tol) { *time = 0.5 * (lo + hi); return 1; }
    }
    return 0;
}
/* time of the first sensor that fires between two times, NAN: none; ``fired`` and the values that they store */
static int sense(Model *m, double begin, double end, uint8_t *ready, double *event, uint8_t *fired, double *stored) {
    const Layout *a = m->model->layout;
    const Sensor *sensors = m->model->sensors;
    int64_t n = a->sensors;
    double *guard = at(m, a->guard), points[POINTS], size = (end - begin) / (POINTS - 1);
    Offsets rows[POINTS], now, final;
    *event = NAN;
    for (int k = 0; k < POINTS; k++) points[k] = k < POINTS - 1 ? (double)k * size + begin : end;
    if (guard[2 * n] == 0.0) {
        if (offsets(m, begin, ready, rows)) return 1;
        for (int64_t s = 0; s < n; s++) guard[2 * s] = !holds(sensors + s, rows[0].x[s]);
        guard[2 * n] = 1.0;
    } else for (int64_t s = 0; s < n; s++) rows[0].x[s] = guard[2 * s + 1];
    for (int k = 1; k < POINTS; k++) if (offsets(m, points[k], ready, rows + k)) return 1;
    for (int k = 1; k < POINTS; k++) {
        double lo = points[k - 1], hi = points[k];
        int any = 0, top = summit(m, points, rows, k, ready, &hi, &now);
        if (top < 0) return 1;
        if (!top) now = rows[k];
        for (int64_t s = 0; s < n; s++) any |= fired[s] = hits(sensors + s, guard[2 * s], rows[k - 1].x[s], now.x[s]);
        top = top && !any;
        if (top) for (int64_t s = 0; s < n; s++) any |= fired[s] = guard[2 * s] != 0.0 && fabs(now.x[s]) <= sensors[s].tolerance;
        if (!any) {
            for (int64_t s = 0; s < n; s++) if (!holds(sensors + s, rows[k].x[s])) guard[2 * s] = 1.0;
            continue;
        }
        for (int i = 0; i < 60 && !top; i++) {
            double mid = 0.5 * (lo + hi);
            int before = 0;
            if (mid == lo || mid == hi || hi - lo < 1e-12 * fmax(fabs(hi), 1e-12)) break;
            if (offsets(m, mid, ready, &final)) return 1;
            for (int64_t s = 0; s < n; s++) before |= fired[s] && hits(sensors + s, guard[2 * s], rows[k - 1].x[s], final.x[s]);
            if (before) hi = mid;
            else lo = mid;
        }
        if (offsets(m, hi, ready, &final)) return 1;
        for (int64_t s = 0; s < n; s++) {
            fired[s] = fired[s] && (top || hits(sensors + s, guard[2 * s], rows[k - 1].x[s], final.x[s]));
            stored[s] = *at(m, sensors[s].asked);
        }
        for (int64_t s = 0; s < n; s++) {
            guard[2 * s] = guard[2 * s] != 0.0 && !holds(sensors + s, final.x[s]);
            guard[2 * s + 1] = final.x[s];
        }
        *event = hi;
        return 0;
    }
    for (int64_t s = 0; s < n; s++) guard[2 * s + 1] = rows[POINTS - 1].x[s];
    return 0;
}
static int fire(Model *m, double event, const uint8_t *fired, const double *stored, uint8_t *ready, int *paused) {
    const Layout *a = m->model->layout;
    double *stepsize = at(m, a->guard) + 2 * a->sensors + 1;
    if (look(m, event, 1, ready)) return 1;
    memcpy(at(m, a->y), at(m, a->q), 8 * a->ny);
    m->head->t = event;
    if (settle(m, event, at(m, a->y))) return 1;
    for (int64_t s = 0; s < a->sensors; s++) {
        const Sensor *e = m->model->sensors + s;
        if (!fired[s]) continue;
        for (int64_t k = 0; k < e->kept; k++) *at(m, m->model->indices[e->list + k]) = stored[s];
        log_event(m, e->halt ? "a sensor ends the simulation" : "a sensor fires");
        if (e->halt) m->head->halted = 1;
        if (e->returns || e->halt) *paused = 1;
        if (e->stepsize != 0.0) *stepsize = e->stepsize;
    }
    return m->head->halted ? 0 : begin(m, *stepsize != 0.0 ? *stepsize : at(m, a->control)[DONE]);
}

#include "conditions.c"

/* what follows from a step that was accepted; lost: trials of it that gave no number */
static int close_step(Model *m, double lost, int *paused) {
    const Layout *a = m->model->layout;
    double begin = at(m, a->control)[BEGUN], end = m->head->t, change = NAN, event = NAN, stored[MOST_SENSORS];
    uint8_t ready = 0, fired[MOST_SENSORS];
    Turns turns;
    if (a->conditions && check(m, begin, lost, &ready, &change, &turns)) return 1;
    if (change == change) end = change;
    if (a->sensors && sense(m, begin, end, &ready, &event, fired, stored)) return 1;
    if (a->delays && keep_past(m, begin, event == event ? event : end, &ready)) return 1;
    if (event == event) return fire(m, event, fired, stored, &ready, paused);
    if (change != change) return 0;
    if (turn(m, change, &ready, &turns)) return 1;
    log_event(m, "a function switches");
    return 0;
}
