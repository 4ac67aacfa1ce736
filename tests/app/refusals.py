# SPDX-License-Identifier: MIT
"""What applications must refuse; refuse.py runs it.

A row of a group: application, arguments, a part of the one line that it prints, settings. Files are in tests/data.
"""
HEAP_64K = {"GRAVEL_HEAP": "64k"}
HEAP_20K = {"GRAVEL_HEAP": "20k"}
LOOPBACK = {"GRAVEL_LOOPBACK": "2"}

GROUPS = {}
WITHOUT_DEVICE = ("options and files", "mer options", "ranks")  # refused where there is no OpenCL platform
GROUPS["options and files"] = [
    # What the first process has not found another one says, some seconds later; the other cases run meanwhile.
    ("kmeans", "-k 257", "-k: '257' is not in 1..256", {"OMPI_COMM_WORLD_RANK": "1"}),
    ("kmeans", "-k 257", "-k: '257' is not in 1..256", {"PMI_RANK": "1"}),
    ("color", "-f absent.el", "absent.el: cannot open", {"OMPI_COMM_WORLD_RANK": "2"}),
    ("color", "-f absent.el", "absent.el: cannot open", {"PMI_RANK": "2"}),
    # Options that are out of range, or do not fit together.
    ("pagerank", "", "no graph"),
    ("pagerank", "-u 4 -t -1", "-t: '-1'"),
    ("pagerank", "-u 4 -t nan", "-t: 'nan' is not a number from 0 up"),
    ("pagerank", "-u 4 -i 0", "-i: '0' is not in 1..1000000"),
    ("pagerank", "-u 32", "-u: '32' is not in 0..31"),
    ("pagerank", "-g -1", "-g: '-1' is not in"),
    ("pagerank", "-u 4 -k 0", "-k: '0' is not in 1.."),
    ("pagerank", "-u 4 --seed 9223372036854775808", "--seed: "),
    ("sssp", "-u 4 -r 4294967295", "-r: '4294967295' is not in 0..4294967294"),
    ("sssp", "-u 4 -d 1e", "-d: '1e' is not a number from 0 up"),
    ("sssp", "-u 4 -d -1", "-d: '-1'"),
    ("sssp", "-u 4 --schedule counter --send-own", "--schedule: distances of 32 bits, no --delta, and no --send-own"),
    ("pagerank", "-u 4 --schedule counter --send-own", "--schedule: no --send-own"),
    ("color", "-u 4 -g 4", "give only one of -f, -g, -u, --mesh and --band"),
    ("color", "--mesh 5", "--mesh: '5'"),
    ("color", "--band 0", "--band: '0' is not in"),
    ("color", "-u 4 --partition random", "--partition: 'random'"),
    ("kmeans", "-k 0", "-k: '0' is not in 1..256"),
    ("kmeans", "-k 257", "-k: '257'"),
    ("kmeans", "-d 17", "-d: '17' is not in 1..16"),
    ("kmeans", "-p 0", "-p: '0'"),
    ("kmeans", "-p -5", "-p: '-5' is not in 1.."),
    ("kmeans", "-n 0", "-n: '0' is not in 1..1000000"),
    ("fib", "--reserve lane", "--reserve: there is no 'lane', but group and item"),
    ("fib", "48", "[N]: '48' is not in 0..47"),
    ("queens", "19", "[N]: '19' is not in 2..18"),
    ("queens", "--base 0 8", "--base: '0' is not in 1..18"),
    ("queens", "--deal 4 8", "--deal: after 4 rows, and tasks fill 4"),
    ("queens", "--deal 2 --form plain 8", "--deal: of form flow"),
    ("sort", "0", "[N]: '0' is not in 1..1073741824"),
    ("sort", "--form fast", "--form: there is no 'fast', but flow and plain"),
    ("strassen", "100", "[N]: 100 is not 16 times a power of two"),
    ("strassen", "--ways 9", "--ways: '9' is not in 7..8"),
    ("strassen", "--base 24 96", "--base: 24 is not a power of two"),
    ("strassen", "--base 2 4096", "sums of 11 divisions are not exact"),
    ("gups", "--table 33", "--table: '33'"),
    ("gups", "--updates 41", "--updates: '41' is not in 0..40"),
    ("gups", "--per-item 3", "--per-item"),
    ("gups", "--group 0", "--group"),
    ("gups", "--group 1025", "--group: '1025' is not in 1..1024"),
    ("gups", "--op add", "--op: 'add' is none of inc, xor, add-float, put"),
    ("gups", "--op add-float --table 3 --updates 20", "--op add-float: 2^20 updates of 2^3 words; 2^16 a word are allowed"),
    ("gups", "--model direct", "--model: 'direct' is none of coprocessor,"),
    ("uts", "-t T9", "-t: 'T9' is none of default, T1,"),
    ("uts", "-t T1 -d 0", "-d: '0' is not in 1..1000"),
    ("uts", "--schedule greedy", "--schedule: 'greedy' is none of promoted,"),
    ("color", "-u 4 --schedule greedy", "--schedule: 'greedy' is none of promoted,"),
    ("gups-mod", "--idle 101", "--idle"),
    ("gups-mod", "--divergence warp", "--form: there is no 'warp'"),
    ("gups-mod", "--wave 2000", "--wave"),
    ("gups-mod", "--active 101", "--active"),
    ("gups-mod", "--items 37", "--items: '37' is not in 0..36"),
    ("gups-mod", ["--max-updates", ""], "--max-updates: '' is not in 1.."),
    ("gups-mod", "--model coprocessor --form wi", "--form wi: under --model coprocessor"),
    ("gups", "", "GRAVEL_BUFFER", {"GRAVEL_BUFFER": "many"}),
    ("hashtable", "--buckets 3", "--buckets: '3' is no power of two"),
    ("hashtable", "--op delete", "--op: 'delete' is none of insert, upsert and find"),
    ("hashtable", "--form mutex", "--form: there is no 'mutex'"),
    ("hashtable", "--op find --items 4 --keys 100", "--keys: half of 100 keys are in the table, which has room for 16"),
    ("hashtable", "--model lane", "--model lane: critical sections are messages of Gravel's, or none"),
    ("mst", "-u 4 --form mutex", "--form: there is no 'mutex'"),
    ("mst", "", "no graph"),
    ("mst", "-f negative.wel", "negative.wel:3: weight -2.5 is negative"),
    ("mst", "-u 4 --form nested", "--form nested: its critical sections have none in this form; there is phases"),
    ("sgd", "--form atomic", "--form atomic: its critical sections have none in this form; there is nested"),
    ("sgd", "--rate -1", "--rate: '-1' is not a number from 0 up"),
    ("sgd", "-f absent.dat", "absent.dat: cannot open"),
    ("sgd", "-f diamond.el", "diamond.el:1: '"),
    ("sgd", "-f empty.gr", "empty.gr:"),
    ("atm", "--accounts 1", "--accounts: '1' is not in 2.."),
    # Files.
    ("pagerank", "-f absent.el", "absent.el"),
    ("sssp", "-f diamond.gr -r 5", "-r: vertex 5 is not in 0..4"),
    ("sssp", "-u 4 -d 0.5", "-d: weights are whole numbers"),
    ("sssp", "-f negative.wel", "negative.wel:3: weight -2.5 is negative"),
    ("sssp", "-f negative.mtx", "negative.mtx:5: weight -4 is negative"),
    ("sssp", "-f skew.mtx", "skew.mtx:3: a skew-symmetric matrix has negative weights"),
    ("color", "-f outside.graph", "outside.graph:3: neighbour 4 is not in 1..3"),
    ("sssp", "-f empty.gr", "empty.gr:2: the graph has no vertices"),
    ("color", "-f empty.gr", "empty.gr:2: the graph has no vertices"),
]
GROUPS["mer options"] = [
    ("mer", "", "no sequences"),
    ("mer", "-k 0", "-k: '0'"),
    ("mer", "-k 64", "-k: '64'"),
    ("mer", "--table shelf", "--table: 'shelf' is neither host nor device"),
    ("mer", "--distinct 0", "--distinct: '0' is not in 1.."),
    ("mer", "-f mer/long.fa --table host --distinct 9", "--distinct: of --table device"),
    ("mer", "-f mer/long.fa --table device --per-item 2", "--per-item: of --table host"),
    ("mer", "-f mer/long.fa --table device --model lane", "--table device: its messages are Gravel's"),
]
GROUPS["mer files"] = [  # read when a node is open
    ("mer", "-f absent.fa", "absent.fa: cannot open"),
    ("mer", "-f mer/empty.fa", "empty.fa: holds no sequence"),
    ("mer", "-f mer/no-header.fa", "no-header.fa: begins with 'A'"),
    ("mer", "-f mer/two-marks.fa", "two-marks.fa: record 1 'one': is followed by '@'"),
    ("mer", "-f mer/digit.fa", "digit.fa: record 2 'two': '1' is no base"),
    ("mer", "-f mer/no-quality.fq", "no-quality.fq: record 1 'r1': has no quality"),
    ("mer", "-f mer/short-quality.fq", "short-quality.fq: record 1 'r1': 4 bases, and a quality of 3"),
    ("mer", "-f mer/long-quality.fq", "long-quality.fq: record 1 'r1': is followed by 'I'"),
    ("mer", "-f mer/truncated.fq.gz", "truncated.fq.gz: record 2 'r2': the compressed data end early"),
]
GROUPS["mer on the device"] = [  # a table that is full, or too large
    ("mer", "-f mer/long.fa --table device --distinct 1", "k-mers found no room in a table of 128 entries"),
    ("mer", "-f mer/long.fa --table device --distinct 1", "k-mers found no room in a table of 128 entries", LOOPBACK),
    ("mer", "-f mer/long.fa --table device --distinct 100000000000", "take 14628571430976 bytes, and the device"),
    ("mer", "-f mer/long.fa --table device", "heap", HEAP_64K),
]
GROUPS["device"] = [
    ("gups", "", "no such device", {"GRAVEL_DEVICE": "absent"}),
    ("pagerank", "-u 4", "GRAVEL_LOOPBACK", LOOPBACK),
    ("color", "-u 4", "GRAVEL_LOOPBACK", LOOPBACK),
    ("sssp", "-u 4", "GRAVEL_LOOPBACK", LOOPBACK),
    ("gups", "--table 20", "heap", HEAP_64K),
    ("pagerank", "-u 16 -k 1", "heap", HEAP_64K),
    ("sssp", "-u 16 -k 1", "heap", HEAP_64K),
    ("color", "-u 16 -k 1", "heap", HEAP_64K),
    ("gups", "--model coprocessor --table 4 --updates 16 --per-item 65536",
     "a work-item sends up to 65536 messages, and a queue has 65536 bytes"),
    ("kmeans", "--model coprocessor -p 1000 -k 256 -d 16 --combine", "a work-group sends up to 4352 messages"),
    ("maxflow", "-f short.max", "short.max:5: the file ends after 1 of 2 arcs"),
    ("maxflow", "-f network.gr", "is not max"),
    ("maxflow", "--form nested", "--form nested: its critical sections have none in this form; there is phases"),
    ("maxflow", "--capacity 1000000 --columns 1000 --rows 2", "the source's arcs have a capacity of 3000000000 together"),
    ("maxflow", "--rows 4", "the network is in the memory of one node, and there are 2", LOOPBACK),
    ("mst", "-u 4 --form lock", "--form lock: a lock is in the memory of one node, and there are 2", LOOPBACK),
    ("mst", "-u 16 -k 1", "heap", HEAP_64K),
    ("sgd", "--ratings 8 --form lock", "--form lock: a lock is in the memory of one node, and there are 2", LOOPBACK),
    ("sgd", "--ratings 20", "heap", HEAP_64K),
    ("atm", "--form lock", "--form lock: a lock is in the memory of one node, and there are 2", LOOPBACK),
    ("atm", "--form atomic",
     "--form atomic: words of atomic operations are in the memory of one node, and there are 2", LOOPBACK),
    ("atm", "--form servers", "GRAVEL_SERVER_MODE=resident: launches have one work-group at once",
     {"GRAVEL_HOST_CORES": "1", "POCL_MAX_PTHREAD_COUNT": "2"}),
    ("hashtable", "--items 20", "heap", HEAP_64K),
]

# Under mpirun: one line, whatever the number of ranks.
GROUPS["ranks"] = [
    ("kmeans", "-k 257", "-k: '257' is not in 1..256"),
    ("sssp", "-f negative.wel", "negative.wel:3: weight -2.5 is negative"),
]
GROUPS["mer of ranks"] = [
    ("mer", "-f mer/long.fa --table device --distinct 1", "k-mers found no room in a table of 128 entries"),
]
# Forms of critical sections that a node has alone.
GROUPS["forms of ranks"] = [
    ("mst", "-u 4 --form ttas", "--form ttas: a lock is in the memory of one node, and there are 2"),
    ("atm", "--form lock", "--form lock: a lock is in the memory of one node, and there are 2"),
    ("sgd", "--ratings 8 --form ttas", "--form ttas: a lock is in the memory of one node, and there are 2"),
]
# The heap that the caller sets does not hold the problem.
GROUPS["heap of ranks"] = [
    ("gups", "--table 20", "heap", HEAP_20K),
    ("gups-mod", "--table 20", "heap", HEAP_20K),
    ("pagerank", "-u 16 -k 1", "heap", HEAP_20K),
    ("sssp", "-u 16 -k 1", "heap", HEAP_20K),
    ("color", "-u 16 -k 1", "heap", HEAP_20K),
    ("mst", "-u 16 -k 1", "heap", HEAP_20K),
    ("kmeans", "-p 1000 -k 256 -d 16", "heap", HEAP_20K),
    ("hashtable", "--items 20", "heap", HEAP_20K),
    ("atm", "--orders 20", "heap", HEAP_20K),
    ("sgd", "--ratings 18", "heap", HEAP_20K),
]
