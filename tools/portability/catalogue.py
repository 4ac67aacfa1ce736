# SPDX-License-Identifier: MIT
"""Which implementations there are, the steps to try on each, and the verdicts that are as expected.

Each gets a list of drivers of its own (OCL_ICD_VENDORS), so that no other driver is loaded.
"""
import glob
import json
import os

from portability import debian13, intel
from portability.measure import FAILED, PASS, REFUSED, SKIPPED, Row
from portability.place import TOP, Broken, CannotRun, Here, build

MUST = {PASS}
MAY = {PASS, REFUSED}  # what its self-test proves, counts
CANNOT = {REFUSED}
STEPS = ("svm", "usm", "pump", "drain")
FORMS = ("collectives", "subgroups", "scan")  # GRAVEL_FORM_*
COVERED = ("Portable Computing Language", "rusticl", "Clover", "Oclgrind")  # what `others` leaves out


class Site:
    """Where rows run, and what is made once for all of them."""

    def __init__(self, arguments, log):
        self.arguments, self.log = arguments, log
        self.work = os.path.join(TOP, "build-matrix") if not arguments.build else \
            os.path.join(os.path.abspath(arguments.build), "matrix")
        self.places = {}

    def here(self):
        if "here" not in self.places:
            place = Here(self.arguments.build or os.path.join(self.work, "build"), self.work)
            if not self.arguments.build:
                build(place, self.log)
            self.places["here"] = place
        return self.places["here"]

    def debian13(self):
        if self.arguments.build:
            raise CannotRun("needs a chroot, and --build makes none")
        if "debian13" not in self.places:
            self.places["debian13"] = debian13.prepare(self.work, self.arguments.mirror, self.log)
        return self.places["debian13"]

    def intel(self):
        if self.arguments.build:
            raise CannotRun("needs a download, and --build makes none")
        return intel.prepare(self.work, self.log)


def list_driver(place, name, library):
    """A list of drivers with this one alone, as settings."""
    folder = os.path.join(place.files, "icd", name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".icd"), "w", encoding="utf-8") as icd:
        icd.write(library + "\n")
    return {"OCL_ICD_VENDORS": "%s/icd/%s" % (place.work, name), "POCL_CACHE_DIR": place.cache}


def installed_driver(place, name, library):
    """The same for a driver of the place's own /etc/OpenCL/vendors."""
    root = getattr(place, "root", "")
    for path in sorted(glob.glob(root + "/etc/OpenCL/vendors/*.icd")):
        with open(path, encoding="utf-8", errors="replace") as icd:
            text = icd.read().strip()
        if library in text:
            return list_driver(place, name, text)
    raise CannotRun("no driver %s is installed" % library)


def ask(place, settings):
    """The devices, as gravel-info lists them."""
    result = place.run([place.build + "/tools/gravel-info", "--json"], settings, 90)
    try:
        return json.loads(result.out)["devices"]
    except (ValueError, KeyError) as broken:
        reason = result.last_line()
        raise (CannotRun if "no OpenCL platform" in reason else Broken)(reason) from broken


def first_device(place, settings):
    devices = ask(place, settings)
    if not devices:
        raise CannotRun("the driver lists no device")
    return devices[0]


def step_rows(name, place, settings, expectations, pump=None, device=None):
    """A row for each step; usm only where it is advertised. @param expectations  {step: verdicts}."""
    device = device or first_device(place, settings)
    rows = []
    for step, expect in expectations.items():
        if step == "usm" and not device["capabilities"]["host_usm"]:
            continue
        more = pump if step == "pump" and pump else {}
        rows.append(Row(name, step, expect, place, {**settings, **more}))
        rows[-1].units = pump or {}
        rows[-1].name_device(device)
    return rows


def form_rows(name, place, settings):
    """The forms of counting that a GPU gets, on step svm: those that the device has."""
    device = first_device(place, settings)
    rows = []
    for form in FORMS:
        if form == "scan" or device["capabilities"][form]:
            more = {"GRAVEL_BUILD_OPTIONS": "-DGRAVEL_FORM_" + form.upper()}
            rows.append(Row(name, "svm", MUST, place, {**settings, **more}, form))
            rows[-1].name_device(device)
    return rows


# More threads than kernels need, or no compute unit stays free on two cores.
POCL_PUMP = {"GRAVEL_HOST_CORES": "0", "POCL_MAX_PTHREAD_COUNT": "3"}
INTEL_PUMP = {"GRAVEL_HOST_CORES": "0", "CL_CONFIG_CPU_TBB_NUM_WORKERS": "3"}
RUSTICL = {"RUSTICL_ENABLE": "llvmpipe"}


def pocl(site):
    place = site.here()
    settings = installed_driver(place, "pocl", "libpocl")
    return step_rows("pocl", place, settings, {"svm": MUST, "usm": MUST, "pump": MUST, "drain": MUST}, POCL_PUMP)


def rusticl(site):
    """Mesa 22.3 returns from clFinish before kernels' stores are seen, and must be refused on every step."""
    place = site.here()
    settings = {**installed_driver(place, "rusticl", "libRusticlOpenCL"), **RUSTICL}
    expect = CANNOT if first_device(place, settings)["driver"].startswith("22.") else MAY
    return step_rows("rusticl", place, settings, {"svm": expect, "pump": expect, "drain": expect})


def oclgrind(site):
    row = Row("oclgrind", "device half", MUST, site.here())
    return [row]


def debian13_pocl(site):
    place = site.debian13()
    settings = installed_driver(place, "pocl", "libpocl")
    rows = step_rows("debian13-pocl", place, settings, {"svm": MUST, "usm": MUST, "pump": MUST, "drain": MUST},
                     POCL_PUMP)
    return rows + ([] if site.arguments.quick else form_rows("debian13-pocl", place, settings))


def debian13_rusticl(site):
    """It runs one kernel at a time, so pump is refused."""
    place = site.debian13()
    settings = {**installed_driver(place, "rusticl", "libRusticlOpenCL"), **RUSTICL}
    rows = step_rows("debian13-rusticl", place, settings, {"svm": MUST, "pump": MAY, "drain": MUST})
    return rows + ([] if site.arguments.quick else form_rows("debian13-rusticl", place, settings))


def intel_cpu(site):
    """On two cores its copies do not always pass a running kernel: pump is proved, or refused, each time."""
    folder = site.intel()
    place = site.here()
    settings = {**list_driver(place, "intel", folder + "/libintelocl.so"), "LD_LIBRARY_PATH": folder}
    rows = step_rows("intel", place, settings, {"svm": MUST, "usm": MUST, "pump": MAY, "drain": MUST}, INTEL_PUMP)
    return rows + ([] if site.arguments.quick else form_rows("intel", place, settings))


def others(site):
    """Every other device that this machine's loader lists, a GPU for instance."""
    place, rows = site.here(), []
    expect = {"svm": MAY, "usm": MAY, "pump": MAY, "drain": MUST}
    for device in ask(place, {}):
        if device["platform"] not in COVERED:
            settings = {"GRAVEL_DEVICE": device["number"], "POCL_CACHE_DIR": place.cache}
            rows += step_rows("device " + device["number"], place, settings, expect, device=device)
    if not rows:
        raise CannotRun("the loader lists no other device")
    return rows


# In the order of the table. None of the first four needs the network.
CATALOGUE = {"pocl": pocl, "rusticl": rusticl, "oclgrind": oclgrind, "others": others, "intel": intel_cpu,
             "debian13-pocl": debian13_pocl, "debian13-rusticl": debian13_rusticl}


def rows_of(name, site, steps=None):
    """The implementation's rows, on these steps only if any are named; one that says why, if there can be none."""
    try:
        rows = [row for row in CATALOGUE[name](site) if not steps or row.step in steps]
        if not rows:
            raise CannotRun("has no row of step " + " or ".join(steps))
        return rows
    except CannotRun as reason:
        return [Row(name, None, {SKIPPED} if name == "others" else MUST).end(SKIPPED, str(reason))]
    except (Broken, OSError) as error:
        return [Row(name, None, MUST).end(FAILED, str(error))]
