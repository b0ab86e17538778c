// Simbody driver: reads numbers from standard input (written by simbody_scene.py), integrates, prints one line of JSON.
#include <Simbody.h>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>
using namespace SimTK;

static double number() { double x; std::cin >> x; return x; }
static Vec3 vector3() { double a = number(), b = number(), c = number(); return Vec3(a, b, c); }
static Transform transform() {  // nine numbers by rows, then the place
    Mat33 m;
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) m(i, j) = number();
    Vec3 p = vector3();
    return Transform(Rotation(m, false), p);
}

int main(int argc, char** argv) {
    const std::string method = argv[1];
    const double accuracy = std::atof(argv[2]);
    const int repeats = std::atoi(argv[3]);
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    system.setUseUniformBackground(true);
    const double end = number();
    const Vec3 g = vector3();
    if (g.norm() > 0) Force::Gravity(forces, matter, UnitVec3(g), g.norm());
    const int n = int(number());
    std::vector<Body::Rigid> rigid;
    for (int b = 0; b < n; b++) {
        double m = number();
        rigid.push_back(Body::Rigid(MassProperties(m, Vec3(0), Inertia(vector3()))));
    }
    std::vector<MobilizedBody> made(n);
    std::vector<std::pair<int, SpatialVec>> velocities;
    auto body = [&](int b) -> MobilizedBody& { return b < 0 ? (MobilizedBody&)matter.updGround() : made[b]; };
    const Transform along(Rotation(-Pi / 2, YAxis));  // a slider slides along x
    std::string word;
    bool energy = false;
    std::vector<int> wanted;
    while (std::cin >> word) {
        if (word == "joint") {
            std::string kind;
            std::cin >> kind;
            int p = int(number()), c = int(number());
            Transform P = transform(), C = transform();
            Vec3 w = vector3(), v = vector3();  // of C against P, in the axes of the joint
            if (kind == "REVOLUTE") made[c] = MobilizedBody::Pin(body(p), P, rigid[c], C);
            else if (kind == "TRANSLATIONAL") {
                made[c] = MobilizedBody::Slider(body(p), P * along, rigid[c], C * along);
                w = ~along.R() * w;
                v = ~along.R() * v;
            } else if (kind == "SPHERICAL") made[c] = MobilizedBody::Ball(body(p), P, rigid[c], C);
            else made[c] = MobilizedBody::Universal(body(p), P, rigid[c], C);
            velocities.push_back({c, SpatialVec(w, v)});
        } else if (word == "line") {
            int a = int(number()); Vec3 d = vector3(), pa = vector3(); int b = int(number()); Vec3 pb = vector3();
            Constraint::PointOnLine(body(a), UnitVec3(d), pa, body(b), pb);
        } else if (word == "ball") {
            int a = int(number()); Vec3 pa = vector3(); int b = int(number()); Vec3 pb = vector3();
            Constraint::Ball(body(a), pa, body(b), pb);
        } else if (word == "spring") {
            int a = int(number()); Vec3 pa = vector3(); int b = int(number()); Vec3 pb = vector3();
            double k = number(), c = number(), length = number();
            Force::TwoPointLinearSpring(forces, body(a), pa, body(b), pb, k, length);
            if (c > 0) Force::TwoPointLinearDamper(forces, body(a), pa, body(b), pb, c);
        } else if (word == "torque") {
            int b = int(number());
            Force::MobilityConstantForce(forces, made[b], MobilizerUIndex(0), number());
        } else if (word == "energy") energy = true;
        else if (word == "read") wanted.push_back(int(number()));
    }
    State start = system.realizeTopology();
    system.realize(start, Stage::Position);
    for (auto& v : velocities) made[v.first].setUToFitVelocity(start, v.second);
    system.realize(start, Stage::Dynamics);
    const double e0 = system.calcEnergy(start);
    double least = 1e30, change = 0;
    int steps = 0;
    State last;
    auto fresh = [&]() {
        std::unique_ptr<Integrator> integrator;
        if (method == "cpodes") integrator.reset(new CPodesIntegrator(system, CPodes::BDF, CPodes::Newton));
        else integrator.reset(new RungeKuttaMersonIntegrator(system));
        integrator->setAccuracy(accuracy);
        integrator->setConstraintTolerance(std::min(1e-4, accuracy * 0.1));
        integrator->setInternalStepLimit(50000000);
        return integrator;
    };
    int count = 1;  // calls in a sample: as many as last 0.5 s or 50 ticks of a clock of 10 ms, prepared before they are timed
    for (int repeat = 0; repeat < repeats;) {
        std::vector<std::unique_ptr<Integrator>> integrators;
        std::vector<std::unique_ptr<TimeStepper>> steppers;
        for (int k = 0; k < count; k++) {
            integrators.push_back(fresh());
            steppers.emplace_back(new TimeStepper(system, *integrators[k]));
            steppers[k]->initialize(start);
        }
        std::clock_t clock = std::clock();
        for (auto& stepper : steppers) stepper->stepTo(end);
        double seconds = double(std::clock() - clock) / CLOCKS_PER_SEC;
        if (seconds < 0.5 && count < 4096) {
            count = std::min(4096, std::max(2 * count, seconds > 0.1 ? int(count * 0.6 / seconds) + 1 : 0));
            continue;
        }
        least = std::min(least, seconds / count);
        steps = integrators.back()->getNumStepsTaken();
        last = integrators.back()->getState();
        repeat = seconds > 2 ? repeats : repeat + 1;
    }
    if (energy) {  // once more, looking at the energy
        auto integrator = fresh();
        TimeStepper stepper(system, *integrator);
        stepper.initialize(start);
        for (int i = 1; i <= 200; i++) {
            stepper.stepTo(end * i / 200);
            system.realize(integrator->getState(), Stage::Dynamics);
            change = std::max(change, std::abs(system.calcEnergy(integrator->getState()) - e0));
        }
    }
    system.realize(last, Stage::Dynamics);
    std::printf("{\"cpu\": %.9g, \"steps\": %d, \"change\": %.17g, \"pose\": {", least, steps, change);
    for (size_t i = 0; i < wanted.size(); i++) {
        const Transform& X = made[wanted[i]].getBodyTransform(last);
        std::printf("%s\"%d\": [", i ? ", " : "", wanted[i]);
        for (int r = 0; r < 3; r++) std::printf("%.17g, ", X.p()[r]);
        for (int r = 0; r < 9; r++) std::printf("%.17g%s", X.R().asMat33()(r / 3, r % 3), r < 8 ? ", " : "]");
    }
    std::printf("}}\n");
}
