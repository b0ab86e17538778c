"""Kernels of durability: turning points, rainflow on a stack, mean stresses, S-N curves, the path of a notch, and all
of these at each node of a mesh.

Cycles are positions (first, last) in a signal; tables of a curve and of a mean stress are those of
`curves.SNCurve.coefficients` and `mean_stress.MeanStress.coefficients`. Scratch arrays are the caller's
and hold as many numbers as a signal has, and one more.
"""

from __future__ import annotations

import math

from .._jit import jit

#: codes of mean-stress corrections
NONE, LINEAR, GERBER, WALKER, FKM = 0, 1, 2, 3, 4
#: codes of residues
HALF, REPEAT, OPEN = 0, 1, 2
#: codes of what of a stress is counted
SIGNED_MISES, PRINCIPAL, PLANE = 0, 1, 2
#: codes of corrections of strain-life
STRAIN, MORROW, MODIFIED_MORROW, SWT = 0, 1, 2, 3


# ---- counting ------------------------------------------------------------------------------------------------------
@jit(entry="float64[::1], int64, float64, int64[::1]")
def turning(x, n, hysteresis, at):
    """Places of the turning points of x[:n], first and last among them, and how many there are; swings up to
    ``hysteresis`` are none."""
    low = high = 0
    count = 0
    way = 0
    for i in range(1, n):
        if way == 0:
            if x[i] > x[high]:
                high = i
            if x[i] < x[low]:
                low = i
            if x[high] - x[low] > hysteresis:
                way = 1 if high > low else -1
                at[0] = low if way > 0 else high
                count = 1
        elif way > 0:
            if x[i] > x[high]:
                high = i
            elif x[high] - x[i] > hysteresis:
                at[count] = high
                count += 1
                way = -1
                low = i
        elif x[i] < x[low]:
            low = i
        elif x[i] - x[low] > hysteresis:
            at[count] = low
            count += 1
            way = 1
            high = i
    if way == 0:
        at[0] = 0
        return 1
    at[count] = high if way > 0 else low
    return count + 1


@jit(entry="float64[::1], int64[::1], int64, boolean, int64[::1], int64[::1], int64[::1], float64[::1]")
def three_point(x, at, m, repeats, stack, first, last, count):
    """Cycles by ASTM E1049, 5.4.4, of the turning points at[:m]: their number.  The residue is half cycles; there is
    none of a signal that ``repeats`` and begins and ends with its largest value."""
    top = k = 0
    for i in range(m):
        stack[top] = at[i]
        top += 1
        while top >= 3:
            c, b, a = stack[top - 1], stack[top - 2], stack[top - 3]
            if abs(x[c] - x[b]) < abs(x[b] - x[a]):
                break
            first[k], last[k] = a, b
            if top == 3 and not repeats:
                count[k] = 0.5
                stack[0], stack[1] = b, c
                top = 2
            else:
                count[k] = 1.0
                stack[top - 3] = c
                top -= 2
            k += 1
    for i in range(top - 1):
        first[k], last[k], count[k] = stack[i], stack[i + 1], 0.5
        k += 1
    return k


@jit(entry="float64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], float64[::1]")
def four_point(x, at, m, stack, first, last, count):
    """Cycles that lie within the ranges before and after them (AFNOR A03-406), of the turning points at[:m]: their
    number, and of the residue in ``stack``."""
    top = k = 0
    for i in range(m):
        stack[top] = at[i]
        top += 1
        while top >= 4:
            d, c, b, a = stack[top - 1], stack[top - 2], stack[top - 3], stack[top - 4]
            inner = abs(x[c] - x[b])
            if inner > abs(x[b] - x[a]) or inner > abs(x[d] - x[c]):
                break
            first[k], last[k], count[k] = b, c, 1.0
            k += 1
            stack[top - 3] = d
            top -= 2
    return k, top


@jit(entry="float64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1]")
def range_pairs(x, at, m, stack, first, last):
    """Pairs of ranges by ASTM E1049, 5.4.2, of the turning points at[:m]: their number; what is left at the end is
    counted backwards."""
    top = k = 0
    for i in range(m):
        stack[top] = at[i]
        top += 1
        while top >= 3:
            c, b, a = stack[top - 1], stack[top - 2], stack[top - 3]
            if abs(x[c] - x[b]) < abs(x[b] - x[a]):
                break
            first[k], last[k] = a, b
            k += 1
            stack[top - 3] = c
            top -= 2
    # what is left has falling ranges, so that backwards the first two of each three pair
    while top >= 3:
        first[k], last[k] = stack[top - 2], stack[top - 1]
        k += 1
        top -= 2
    return k


# ---- damage of a cycle -----------------------------------------------------------------------------------------------
@jit
def reversed_amplitude(mean, amplitude, middle):
    """Amplitude about zero mean that does the same damage; infinite where the mean has reached its limit."""
    code, limit = int(mean[0]), mean[1]
    if code == NONE:
        return amplitude
    if code == WALKER:
        top = amplitude + middle
        return 0.0 if top <= 0.0 else top ** (1.0 - limit) * amplitude**limit
    if code == FKM:
        if middle <= -amplitude:
            return amplitude * (1.0 - limit)
        if middle <= amplitude:
            return amplitude + limit * middle
        slow = limit / 3.0
        if middle < 3.0 * amplitude:
            return (1.0 + limit) * (amplitude + slow * middle) / (1.0 + slow)
        return amplitude * (1.0 + limit) * (1.0 + limit) / (1.0 + slow)
    if middle >= limit:
        return math.inf if amplitude > 0.0 else 0.0
    if middle <= 0.0 and (code == GERBER or mean[2] == 0.0):
        return amplitude
    share = middle / limit
    return amplitude / (1.0 - share) if code == LINEAR else amplitude / (1.0 - share * share)


@jit
def at_curve(mean, amplitude):
    """Of an amplitude about zero mean that at the stress ratio of the curve; mean[3] is mean over amplitude there."""
    code, limit, r = int(mean[0]), mean[1], mean[3]
    if code == NONE or r == 0.0 or amplitude == math.inf:
        return amplitude
    if code == WALKER:
        return amplitude / (1.0 + r) ** (1.0 - limit)
    if code == FKM:
        return amplitude / reversed_amplitude(mean, 1.0, r)
    if r < 0.0 and (code == GERBER or mean[2] == 0.0):
        return amplitude
    share = amplitude * r / limit
    return (
        amplitude / (1.0 + share) if code == LINEAR else 2.0 * amplitude / (1.0 + math.sqrt(1.0 + 4.0 * share * share))
    )


@jit
def damage_of(stress, cycles, slope, amplitude):
    """1 / N at an amplitude of a curve through (cycles, stress) with these slopes before, between and after the
    points."""
    p = stress.size
    if amplitude <= 0.0:
        return 0.0
    if amplitude >= stress[0]:
        return (amplitude / stress[0]) ** slope[0] / cycles[0]
    for i in range(1, p):
        if amplitude >= stress[i]:
            return (amplitude / stress[i]) ** slope[i] / cycles[i]
    return 0.0 if slope[p] == math.inf else (amplitude / stress[p - 1]) ** slope[p] / cycles[p - 1]


@jit
def cycle_damage(stress, cycles, slope, mean, a, b):
    """1 / N of a cycle between the stresses a and b."""
    amplitude = 0.5 * abs(a - b)
    if mean[0] != NONE:
        amplitude = at_curve(mean, reversed_amplitude(mean, amplitude, 0.5 * (a + b)))
    return damage_of(stress, cycles, slope, amplitude)


@jit(entry="float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]")
def damages(stress, cycles, slope, mean, start, end, out):
    """1 / N of each cycle."""
    for i in range(start.size):
        out[i] = cycle_damage(stress, cycles, slope, mean, start[i], end[i])


@jit(entry="float64[::1], float64[::1], float64[::1], float64[::1]")
def amplitudes(mean, amplitude, middle, out):
    """`reversed_amplitude`, then `at_curve`, of each."""
    for i in range(amplitude.size):
        out[i] = at_curve(mean, reversed_amplitude(mean, amplitude[i], middle[i]))


# ---- strain-life -----------------------------------------------------------------------------------------------------
# ``law``: E, K', n', limit load ratio, sigma_f', b, epsilon_f', c, code of the correction
@jit
def cyclic_strain(law, s):
    """Ramberg-Osgood, of a stress that is not negative."""
    return s / law[0] + (s / law[1]) ** (1.0 / law[2])


@jit(entry="float64[::1], float64")
def notch_stress(law, elastic):
    """Neuber: stress on the cyclic curve where an elastic body would have ``elastic`` (not negative)."""
    E, K, n, ratio = law[0], law[1], law[2], law[3]
    if elastic <= 0.0:
        return 0.0
    nominal = elastic if ratio == math.inf else elastic / ratio
    energy = elastic * elastic / E if ratio == math.inf else elastic * ratio * cyclic_strain(law, nominal)
    # each of the two terms alone bounds it from above, and the sum is convex: Newton comes down to the root
    s = min(math.sqrt(energy * E), (energy * K ** (1.0 / n)) ** (n / (1.0 + n)))
    for _ in range(100):
        plastic = s * (s / K) ** (1.0 / n)
        step = (s * s / E + plastic - energy) / (2.0 * s / E + (1.0 + 1.0 / n) * plastic / s)
        s -= step
        if abs(step) <= 1e-14 * s:
            break
    return s


@jit
def branch_stress(law, swing):
    """Of a swing of the elastic stress (not negative) that of the stress, on the branch of a loop: Masing, twice the
    cyclic curve."""
    return 2.0 * notch_stress(law, 0.5 * swing)


@jit
def branch_strain(law, stress):
    """Of a swing of the stress (not negative) that of the strain."""
    return 2.0 * cyclic_strain(law, 0.5 * stress)


@jit
def reversals(A, p, B, q, level):
    """ln(2 N) of A (2N)^p + B (2N)^q = level, with p and q below zero; -inf where A or B is not positive."""
    if level <= 0.0:
        return math.inf
    if A <= 0.0 or B <= 0.0:
        return -math.inf
    # log of the sum is convex in x and falls: from the left Newton comes up to the root
    x = max(math.log(level / A) / p, math.log(level / B) / q)
    for _ in range(100):
        u, v = A * math.exp(p * x), B * math.exp(q * x)
        step = math.log((u + v) / level) * (u + v) / (p * u + q * v)
        x -= step
        if abs(step) <= 1e-14 * (1.0 + abs(x)):
            break
    return x


@jit
def strain_life(law, amplitude, middle, top):
    """ln(2 N) of a strain amplitude with the mean stress ``middle`` and the largest stress ``top``."""
    E, sf, b, ef, c = law[0], law[4], law[5], law[6], law[7]
    code = int(law[8])
    if code == SWT:
        return math.inf if top <= 0.0 else reversals(sf * sf / E, 2.0 * b, sf * ef, b + c, top * amplitude)
    left = 1.0 if code == STRAIN else 1.0 - middle / sf
    if left <= 0.0:
        return -math.inf
    ductility = ef * left ** (c / b) if code == MODIFIED_MORROW else ef
    return reversals(sf * left / E, b, ductility, c, amplitude)


@jit(
    entry=(
        "float64[::1], float64[::1], float64[::1], const float64[::1], float64[::1]",
        "float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]",
    )
)
def strain_lives(law, amplitude, middle, top, out):
    """`strain_life` of each."""
    for i in range(amplitude.size):
        out[i] = strain_life(law, amplitude[i], middle[i], top[i])


@jit(
    entry=(
        "float64[::1], int64[::1], int64, float64[::1], int64[::1], (int64[::1], int64[::1], float64[::1]), "
        "2 * float64[::1], 2 * float64[::1], 2 * float64[::1]"
    )
)
def notch_path(x, at, m, law, stack, loops, stresses, strains, local):
    """Loops of stress and strain at a notch under the elastic stresses x, by the memory of the material (Clormann &
    Seeger's HCM): their number.

    The first load and every load beyond all before it lie on the cyclic curve; others on a branch from the last turn
    that is still open, and where a loop closes, the branch that it interrupted continues as if it had not been.  ``s``
    and ``e`` have space for stress and strain at each place of x.
    """
    first, last, count = loops
    low, high = stresses
    strain_low, strain_high = strains
    s, e = local
    k = top = 0
    primary = 1  # so many of the open turns lie on the cyclic curve
    for i in range(m):
        p = at[i]
        while top > primary and abs(x[p] - x[stack[top - 1]]) >= abs(x[stack[top - 1]] - x[stack[top - 2]]):
            a, b = stack[top - 2], stack[top - 1]
            first[k], last[k], count[k] = a, b, 1.0
            low[k], high[k], strain_low[k], strain_high[k] = (
                min(s[a], s[b]),
                max(s[a], s[b]),
                min(e[a], e[b]),
                max(e[a], e[b]),
            )
            k += 1
            top -= 2
        if top < primary or (top == primary and abs(x[p]) > abs(x[stack[top - 1]])):
            if top == primary:
                primary += 1
            s[p] = math.copysign(notch_stress(law, abs(x[p])), x[p])
            e[p] = math.copysign(cyclic_strain(law, abs(s[p])), x[p])
        else:
            j = stack[top - 1]
            swing = branch_stress(law, abs(x[p] - x[j]))
            way = 1.0 if x[p] > x[j] else -1.0
            s[p] = s[j] + way * swing
            e[p] = e[j] + way * branch_strain(law, swing)
        stack[top] = p
        top += 1
    for i in range(top - 1):
        a, b = stack[i], stack[i + 1]
        first[k], last[k], count[k] = a, b, 0.5
        low[k], high[k], strain_low[k], strain_high[k] = (
            min(s[a], s[b]),
            max(s[a], s[b]),
            min(e[a], e[b]),
            max(e[a], e[b]),
        )
        k += 1
    return k


# ---- nodes of a mesh -------------------------------------------------------------------------------------------------
@jit
def extremes(xx, yy, zz, xy, yz, zx):
    """Minimum and maximum principal stress, and von Mises' stress."""
    m = (xx + yy + zz) / 3.0
    a, b, c = xx - m, yy - m, zz - m
    J2 = 0.5 * (a * a + b * b + c * c) + xy * xy + yz * yz + zx * zx
    if J2 <= 0.0:
        return m, m, 0.0
    r = math.sqrt(J2 / 3.0)
    J3 = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx)
    t = math.acos(max(-1.0, min(1.0, 0.5 * J3 / (r * r * r)))) / 3.0
    return m + 2.0 * r * math.cos(t + 2.0943951023931953), m + 2.0 * r * math.cos(t), math.sqrt(3.0 * J2)


@jit
def scalar(sigma, b, code, normal, out):
    """Of the stresses (.., 6, n) at node b the history (n,) that is counted; and its largest jump from one sign to the
    other that the stress does not make.

    Principal stresses that are alike in size, as of shear, have the sign of the largest of the six numbers.
    """
    n = sigma.shape[2]
    if code == PLANE:
        x, y, z = normal[0], normal[1], normal[2]
        xx, yy, zz, xy, yz, zx = x * x, y * y, z * z, 2.0 * x * y, 2.0 * y * z, 2.0 * z * x
        for k in range(n):
            out[k] = (
                xx * sigma[b, 0, k]
                + yy * sigma[b, 1, k]
                + zz * sigma[b, 2, k]
                + xy * sigma[b, 3, k]
                + yz * sigma[b, 4, k]
                + zx * sigma[b, 5, k]
            )
        return 0.0
    # a plain loop, which compilers turn into vectors; what is alike is left for the next one
    for k in range(n):
        low, high, mises = extremes(
            sigma[b, 0, k], sigma[b, 1, k], sigma[b, 2, k], sigma[b, 3, k], sigma[b, 4, k], sigma[b, 5, k]
        )
        larger = high + low >= 0.0
        if code == PRINCIPAL:
            value = high if larger else low
        else:
            value = mises if larger else -mises
        out[k] = value if abs(high + low) > 1e-9 * (high - low) else math.nan
    for k in range(n):
        if math.isnan(out[k]):
            low, high, mises = extremes(
                sigma[b, 0, k], sigma[b, 1, k], sigma[b, 2, k], sigma[b, 3, k], sigma[b, 4, k], sigma[b, 5, k]
            )
            most = 0
            for c in range(1, 6):
                if abs(sigma[b, c, k]) > abs(sigma[b, most, k]):
                    most = c
            size = mises if code == SIGNED_MISES else 0.5 * (high - low)
            out[k] = size if sigma[b, most, k] >= 0.0 else -size
    jump = 0.0
    for k in range(1, n):
        if out[k] * out[k - 1] < 0.0:
            change = 0.0
            for c in range(6):
                change = max(change, abs(sigma[b, c, k] - sigma[b, c, k - 1]))
            if abs(out[k] - out[k - 1]) > 6.0 * change:
                jump = max(jump, abs(out[k] - out[k - 1]))
    return jump


@jit
def closed(x, n, key, out):
    """x[:n] turned so that it begins and ends with its largest value (``key`` 0) or its largest size (1); how many
    numbers that are."""
    top = 0
    for k in range(1, n):
        if (abs(x[k]) > abs(x[top])) if key else (x[k] > x[top]):
            top = k
    for k in range(n + 1):
        out[k] = x[(top + k) % n]
    return n + 1


@jit(
    entry=(
        "float64[:, :, ::1], int64, (float64[:, ::1], int64[::1], int64[::1]), (int64, float64, boolean), "
        "float64[::1], 4 * float64[::1], (float64[::1], float64[::1], int64[::1]), (int64[::1], int64[::1], "
        "int64[::1], float64[::1], float64[:, ::1]), 2 * float64[::1], (float64[::1], int64[::1], "
        "float64[::1], float64[::1])"
    )
)
def node_damages(sigma, code, planes, counting, law, curve, work, loops, local, results):
    """Damage of one pass at each node of a block, the plane (its position in ``normals``) where it is largest, the
    largest swing, and the largest jump of sign.

    ``sigma`` (b, 6, n); the planes of node i are normals[begin[i]:end[i]]; ``strained``: by strain-life with ``law``,
    else by the curve.
    """
    normals, begin, end = planes
    residue, hysteresis, strained = counting
    stress, cycles, slope, mean = curve
    x, y, at = work
    stack, first, last, count, four = loops
    s, e = local
    damage, plane, largest, jump = results
    n = sigma.shape[2]
    for b in range(sigma.shape[0]):
        damage[b], plane[b], largest[b], jump[b] = 0.0, -1, 0.0, 0.0
        for p in range(begin[b], end[b]):
            jump[b] = max(jump[b], scalar(sigma, b, code, normals[p], x))
            values, size = x, n
            if residue == REPEAT:
                size = closed(x, n, 1 if strained else 0, y)
                values = y
            m = turning(values, size, hysteresis, at)
            total = 0.0
            if strained:
                k = notch_path(
                    values, at, m, law, stack, (first, last, count), (four[0], four[1]), (four[2], four[3]), (s, e)
                )
                for i in range(k):
                    if residue != OPEN or count[i] == 1.0:
                        amplitude = 0.5 * (four[3, i] - four[2, i])
                        x2 = strain_life(law, amplitude, 0.5 * (four[0, i] + four[1, i]), four[1, i])
                        total += 2.0 * count[i] * math.exp(-x2)
            else:
                k = three_point(values, at, m, residue == REPEAT, stack, first, last, count)
                for i in range(k):
                    if residue != OPEN or count[i] == 1.0:
                        total += count[i] * cycle_damage(stress, cycles, slope, mean, values[first[i]], values[last[i]])
            low = high = values[at[0]]
            for i in range(m):
                low, high = min(low, values[at[i]]), max(high, values[at[i]])
            largest[b] = max(largest[b], high - low)
            if plane[b] < 0 or total > damage[b]:
                damage[b], plane[b] = total, p
