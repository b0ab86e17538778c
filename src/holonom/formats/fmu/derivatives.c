/* Derivatives.  Exact where the model has transposed equations of motion (derivatives.py): a row of the Jacobian is one
   cotangent.  Rows are kept until the point changes, so that a Jacobian by columns costs as many cotangents as it has rows.
   Differences elsewhere. */
#define MOST_ROWS 256e6 /* bytes; a larger Jacobian is not kept, and its columns are differences */

/* derivative of `unknown` along `known` by central differences of eighth order; everything is then as before.  Steps become
   shorter until what differs from the differences of sixth order is small; each unknown has the value that differs least. */
static int differences(Model *m, const uint32_t *u, size_t nu, const uint32_t *k, size_t nk, const double *seed, double h, double *eight, double *six) {
    static const double far[] = {1, 2, 3, 4}, w8[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0}, w6[] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0};
    size_t bytes = fixed_size(m);
    double *kept = malloc(bytes), here, v, **rows = m->jacobian;
    int bad = !kept;
    m->jacobian = 0; /* what is known of this point is true again afterwards */
    if (!bad) memcpy(kept, m->head, bytes);
    for (size_t i = 0; i < nu; i++) eight[i] = six[i] = 0.0;
    for (int n = 0; n < 8 && !bad; n++) {
        double sign = n % 2 ? -1.0 : 1.0;
        for (size_t j = 0; j < nk; j++) { bad |= get(m, k[j], &here); bad |= set(m, k[j], here + sign * far[n / 2] * h * seed[j]); }
        for (size_t i = 0; i < nu; i++) {
            bad |= get(m, u[i], &v);
            eight[i] += sign * w8[n / 2] * v / h;
            six[i] += sign * w6[n / 2] * v / h;
        }
        memcpy(m->head, kept, bytes);
        m->stale = 1;
    }
    free(kept);
    forget(m);
    m->jacobian = rows;
    return bad;
}
static int by_differences(Model *m, const uint32_t *u, size_t nu, const uint32_t *k, size_t nk, const double *seed, double *out) {
    double size = 0.0, here, *room = malloc((3 * nu + 1) * sizeof *room);
    int bad = !room;
    for (size_t j = 0; j < nk && !bad; j++) {
        bad |= get(m, k[j], &here);
        size = fmax(size, fabs(seed[j]) / fmax(fabs(here), 1.0));
    }
    for (size_t i = 0; i < nu && !bad; i++) { out[i] = 0.0; room[i] = INFINITY; }
    void *call = m->call;
    for (double h = 1e-3; size > 0.0 && h > 1e-6 && !bad; h *= 0.1) {
        double *error = room, *eight = room + nu, *six = room + 2 * nu, worst = 0.0;
        int last = h < 1e-4;
        m->call = last ? call : 0; /* a shorter step may do where a long one leaves what can be evaluated */
        int lost = differences(m, u, nu, k, nk, seed, h / size, eight, six);
        m->call = call;
        bad = lost && last && room[0] == INFINITY && nu;
        for (size_t i = 0; i < nu && !lost; i++) {
            double e = fabs(eight[i] - six[i]);
            if (e < error[i]) { error[i] = e; out[i] = eight[i]; }
            worst = fmax(worst, error[i] / fmax(fabs(out[i]), size));
        }
        if (!lost && worst < 1e-11) break;
    }
    free(room);
    return bad;
}

/* ---- exact ones ---- */
static int is_exact(const Model *m, uint32_t r, int known) {
    const Layout *a = m->model->layout;
    if (!a->pulls || r >= (uint64_t)a->variables) return 0;
    int64_t kind = m->model->variables[r].kind;
    if (kind == STATE) return 1;
    return (known ? kind == INPUT || kind == PARAMETER : kind == RATE || kind == OUTPUT) && m->model->pulls[r].at != NOT_EXACT;
}

#ifdef EXACT
/* row, by variable, <- derivatives of the weighted unknowns; what the block has is lost */
static int pull(Model *m, const uint32_t *u, size_t nu, const double *weight, double *row) {
    const Layout *a = m->model->layout;
    double *w = at(m, a->weights), *v = at(m, a->values_at), *bar = at(m, a->row), *q = at(m, a->q);
    double t = m->head->exchange ? m->head->t : m->head->now;
    int outputs = 0, rates = 0, bad = 0;
    void *raised, *none;
    memset(w, 0, 8 * a->ny);
    memset(v, 0, 8 * a->values);
    memset(bar, 0, 8 * a->ny);
    for (size_t i = 0; i < nu; i++) {
        const Variable *x = m->model->variables + u[i];
        if (x->kind == RATE) { w[x->at] += weight[i] * a->per_second; rates = 1; }
        if (x->kind == OUTPUT) { v[m->model->pulls[u[i]].at] += weight[i]; outputs = 1; }
    }
    for (int64_t j = 0; j < a->pulls; j++) {
        const Pull *p = m->model->pulls + j;
        int64_t kind = m->model->variables[j].kind;
        if ((kind != INPUT && kind != PARAMETER) || p->at == NOT_EXACT) continue;
        if (p->at >= 0) *at(m, p->at) = 0.0;
        if (p->there >= 0) *at(m, p->there) = 0.0;
    }
    if (m->stale) m->head->evaluated = m->head->derived = 0; /* a pull reads work arrays */
    if ((outputs || rates) && (outputs ? evaluate(m) : derive(m))) return 1;
    if (outputs || rates) m->stale = 0;
    if (outputs || rates)
        bad = holonom_pull(&none, &raised, at(m, a->adjoint), at(m, a->measured), t, ARRAY(q, a->ny), ARRAY(w, a->ny),
                           ARRAY(v, a->values), ARRAY(bar, a->ny));
    for (int64_t c = 0; c < a->ny; c++) bar[c] += a->gain * w[c];
    if ((outputs || rates) && !bad)
        bad = holonom_pull_projection(&none, &raised, at(m, a->adjoint), t, ARRAY(q, a->ny), ARRAY(bar, a->ny), a->redundant, 1, 1, 0);
    bad |= absent; /* then differences, which do without pulls */
    absent = 0;
    for (int64_t c = 0; c < a->ny; c++) bar[c] -= a->gain * w[c];
    for (int64_t j = 0; j < a->pulls && !bad; j++) {
        const Pull *p = m->model->pulls + j;
        const Variable *x = m->model->variables + j;
        row[j] = x->kind == STATE ? bar[x->at] : 0.0;
        if ((x->kind == INPUT || x->kind == PARAMETER) && p->at != NOT_EXACT)
            row[j] = (p->at >= 0 ? *at(m, p->at) : 0.0) + (p->there >= 0 ? *at(m, p->there) : 0.0);
        bad = !isfinite(row[j]);
    }
    for (size_t i = 0; i < nu && !bad; i++) if (m->model->variables[u[i]].kind == STATE) row[u[i]] += weight[i];
    return bad;
}

/* the rows of `u` that are not known yet; 1 where one cannot be computed */
static int rows_of(Model *m, const uint32_t *u, size_t nu) {
    const Layout *a = m->model->layout;
    double one = 1.0, *kept = 0, **rows = m->jacobian;
    size_t bytes = fixed_size(m);
    int bad = !rows && !(rows = calloc(a->variables + 1, sizeof *rows));
    m->jacobian = 0;
    for (size_t i = 0; i < nu && !bad; i++) {
        if (rows[u[i]]) continue;
        if (!kept) {
            if (!(kept = malloc(bytes))) { bad = 1; break; }
            memcpy(kept, m->head, bytes);
        }
        double *row = malloc(8 * a->variables);
        bad = !row || pull(m, u + i, 1, &one, row);
        memcpy(m->head, kept, bytes);
        if (bad) free(row);
        else rows[u[i]] = row;
    }
    free(kept);
    m->jacobian = rows;
    return bad;
}
#else
static int rows_of(Model *m, const uint32_t *u, size_t nu) { return 1; }
#endif

static int along(Model *m, const uint32_t *u, size_t nu, const uint32_t *k, size_t nk, const double *seed, double *out) {
    const Layout *a = m->model->layout;
    uint32_t *rest = malloc((2 * nu + 1) * sizeof *rest), *whole = rest ? rest + nu : 0;
    double *found = malloc((nu + 1) * sizeof *found);
    int bad = !rest || !found, exact = a->pulls && 8.0 * a->pulls * a->states < MOST_ROWS;
    size_t left = 0, known = 0;
    for (size_t j = 0; j < nk; j++) exact = exact && is_exact(m, k[j], 1);
    for (size_t i = 0; i < nu && !bad && exact; i++) if (is_exact(m, u[i], 0)) whole[known++] = u[i];
    void *call = m->call;
    m->call = 0; /* what cannot be computed is left to differences, which report */
    if (known && rows_of(m, whole, known)) exact = 0;
    m->call = call;
    for (size_t i = 0; i < nu && !bad; i++) if (!exact || !is_exact(m, u[i], 0)) rest[left++] = u[i];
    if (left && !bad) bad = by_differences(m, rest, left, k, nk, seed, found);
    left = 0;
    for (size_t i = 0; i < nu && !bad; i++) {
        if (!exact || !is_exact(m, u[i], 0)) { out[i] = found[left++]; continue; }
        out[i] = 0.0;
        for (size_t j = 0; j < nk; j++) out[i] += seed[j] * m->jacobian[u[i]][k[j]];
    }
    free(rest);
    free(found);
    return bad;
}
static int exactly_across(Model *m, const uint32_t *u, size_t nu, const uint32_t *k, size_t nk, const double *seed, double *out) { /* 0: done */
    int bad = 1;
    for (size_t j = 0; j < nk; j++) if (!is_exact(m, k[j], 1)) return 1;
    for (size_t i = 0; i < nu; i++) if (!is_exact(m, u[i], 0)) return 1;
#ifdef EXACT
    size_t bytes = fixed_size(m);
    double *row = malloc(8 * m->model->layout->variables + bytes), *kept = row + m->model->layout->variables, **rows = m->jacobian;
    if (!row) return 1;
    void *call = m->call;
    m->jacobian = 0;
    m->call = 0;
    memcpy(kept, m->head, bytes);
    bad = pull(m, u, nu, seed, row);
    memcpy(m->head, kept, bytes);
    m->call = call;
    m->jacobian = rows;
    for (size_t j = 0; j < nk && !bad; j++) out[j] = row[k[j]];
    free(row);
#endif
    return bad;
}
static int across(Model *m, const uint32_t *u, size_t nu, const uint32_t *k, size_t nk, const double *seed, double *out) { /* the adjoint */
    double one = 1.0, *column = malloc((nu + 1) * sizeof *column);
    int bad = !column;
    if (!bad && !exactly_across(m, u, nu, k, nk, seed, out)) nk = 0;
    for (size_t j = 0; j < nk && !bad; j++) {
        out[j] = 0.0;
        bad = along(m, u, nu, k + j, 1, &one, column);
        for (size_t i = 0; i < nu; i++) out[j] += seed[i] * column[i];
    }
    free(column);
    return bad;
}
