# SPDX-License-Identifier: MIT
"""What applications must refuse; cases.py runs it.

A row of a group: application, arguments, a part of the one line that it prints, settings. Files are in tests/data;
long.fa is of rows_sequence.py.
"""
HEAP_64K = {"GRAVEL_HEAP": "64k"}
HEAP_20K = {"GRAVEL_HEAP": "20k"}
LOOPBACK = {"GRAVEL_LOOPBACK": "2"}
OF_GRAPH = ("bfs", "color", "mst", "pagerank", "sssp")  # not built with -Dgraph=disabled

GROUPS = {}
WITHOUT_DEVICE = ("options and files", "mer options and files", "ranks")  # refused where there is no OpenCL platform
GROUPS["options and files"] = [
    # What the first process has not found another one says, some seconds later; the other cases run meanwhile.
    ("kmeans", "-k 257", "-k: '257' is not in 1..256", {"OMPI_COMM_WORLD_RANK": "1"}),
    ("color", "-f absent.el", "absent.el: cannot open", {"PMI_RANK": "2"}),
    # Options that are out of range, or do not fit together.
    ("pagerank", "", "no graph"),
    ("pagerank", "-u 4 -k 18446744073709551620", "-k: '18446744073709551620' is not in 1..65536"),
    ("pagerank", "-u 4 -i 0", "-i: '0' is not in 1..1000000"),
    ("pagerank", "-u 32", "-u: '32' is not in 0..31"),
    ("pagerank", "-u 4 -k 0", "-k: '0' is not in 1.."),
    ("pagerank", "-u 4 --seed 9223372036854775808", "--seed: "),
    ("chapter5/sssp", "-u 4 --schedule counter --model lane", "--schedule: tasks store in place and send nothing: no --model"),
    ("color", "-u 4 -g 4", "more than one graph: give only one of -f FILE, -g SCALE"),
    ("color", "--band 0", "--band: '0' is not in"),
    ("kmeans", "-n 0", "-n: '0' is not in 1..1000000"),
    ("microcircuit", "--scale nan", "--scale: 'nan' is not a number from 0 up"),
    ("microcircuit", "--scale 1e-400", "--scale: '1e-400' is not a number from 0 up that a float holds"),
    ("microcircuit", "--scale 1e39", "--scale: '1e39' is not a number from 0 up that a float holds"),
    ("microcircuit", ["--scale", " 5"], "--scale: ' 5' is not a number from 0 up"),
    ("microcircuit", "--scale 0.0009", "--scale: 0.0009 is not in 0.001..64"),
    ("microcircuit", "--scale 64.1", "--scale: 64.1 is not in 0.001..64"),
    ("microcircuit", "--seconds 0", "--seconds: 0 is not in 0.0001..10000"),
    ("microcircuit", "--seconds 10000.1", "--seconds: 10000.1 is not in 0.0001..10000"),
    ("microcircuit", "--record spikes.txt", "--record: 'spikes.txt' ends in neither .npy nor .dat"),
    ("fib", "48", "[N]: '48' is not in 0..47"),
    ("strassen", "--form fast", "--form: 'fast' is none of flow|plain"),
    ("strassen", "100", "[N]: 100 is not 16 times a power of two"),
    ("gups", "--group 1025", "--group: '1025' is not in 1..1024"),
    ("gups", "--op add", "--op: 'add' is none of inc|add-float|put"),
    ("gups", "--op add-float --table 3 --updates 20", "--op add-float: 2^20 updates of 2^3 words; 2^16 a word are allowed"),
    ("gups", "--zipf 1 --op add-float", "--op add-float: --zipf, --accumulate and --divergence are of inc"),
    ("gups", "--accumulate --model coprocessor", "--accumulate: under --model gravel alone"),
    ("gups", "--model direct", "--model: 'direct' is none of coprocessor|"),
    ("color", "-f diamond.el -f path.el", "path.el' is a second value, and one is taken"),
    ("pagerank", "-u 4 -i 10k", "-i: '10k' is not in 1..1000000, written in digits alone"),
    ("color", "--mesh 100 -k 4", "-k: the degree is of graphs that -g and -u generate"),
    ("chapter5/color", "-u 4 --schedule greedy", "--schedule: 'greedy' is none of promoted|"),
    ("gups", "--divergence warp", "--divergence: 'warp' is none of if|wi|"),
    ("gups", "--divergence if --zipf 1", "--divergence: no --zipf and no --accumulate"),
    ("gups", ["--items", ""], "--items: '' is not in 0.."),
    ("gups", "--model coprocessor --divergence wi", "--divergence wi: under --model coprocessor"),
    ("gups", "", "GRAVEL_BUFFER", {"GRAVEL_BUFFER": "many"}),
    ("hashtable", "--buckets 3", "--buckets: '3' is not a power of two"),
    # Nothing of theirs can be sent in another way.
    ("hashtable", "--model lane", "unrecognized option '--model'"),
    ("queens", "--model gravel 6", "unrecognized option '--model'"),
    ("boruvka", "-u 4 --form mutex", "--form: 'mutex' is none of phases|"),
    ("boruvka", "-u 4 --form atomic", "--form atomic: its critical sections have none in this form; there is phases"),
    ("atm", "--accounts 1", "--accounts: '1' is not in 2.."),
    # Files.
    ("sssp", "-u 4 -r 4294967295", "-r: '4294967295' is not in 0..4294967294"),
    ("sssp", "-f diamond.wel -r 5", "-r: vertex 5 is not in 0..4"),
    ("sssp", "-f negative.wel", "negative.wel:3: weight is not a whole number of 0 to 4294967295"),
    ("pagerank", "-u 16 -k 65536", "8589934592 edges are more than 4294967294"),
]
GROUPS["mer options and files"] = [
    ("mer", "", "no sequences"),
    ("mer", "-k 0", "-k: '0'"),
    ("mer", "-k 32", "-k: '32'"),
    ("mer", "--model lane", "unrecognized option '--model'"),
    ("mer", "-f absent.fa", "absent.fa: cannot open"),
]
GROUPS["mer on the device"] = [
    ("mer", "-f long.fa", "heap", HEAP_64K),
]
GROUPS["device"] = [
    ("gups", "", "no such device", {"GRAVEL_DEVICE": "absent"}),
    ("pagerank", "-u 4", "GRAVEL_LOOPBACK", LOOPBACK),
    ("microcircuit", "--scale 7", "--scale: there are 540183 neurons (524288 a node allowed): use more nodes"),
    ("microcircuit", "--record absent/x.npy", "--record: absent/x.npy: cannot write: No such file or directory"),
    ("microcircuit", "", "GRAVEL_LOOPBACK: each node needs a process, whose device has its neurons", LOOPBACK),
    ("microcircuit", "--scale 2", "heap", HEAP_20K),
    ("gups", "--table 20", "heap", HEAP_64K),
    ("chapter5/pagerank", "-u 16 -k 1", "heap", HEAP_64K),
    ("chapter5/pagerank", "-f oneway.wel --schedule counter", "--schedule: vertices pull along their own edges"),
    ("chapter5/sssp", "-u 16 -k 1", "heap", HEAP_64K),
    ("chapter5/color", "-u 16 -k 1", "heap", HEAP_64K),
    ("gups", "--model coprocessor --table 4 --updates 16 --per-item 65536",
     "a work-item sends up to 65536 messages, and a queue has 65536 bytes"),
    ("boruvka", "-u 4", "--form phases: what its sections change is in the memory of one node, and there are 2", LOOPBACK),
    ("boruvka", "-u 4 --form lock", "--form lock: what its sections change is in the memory of one node, and there are 2", LOOPBACK),
    ("boruvka", "-u 16 -k 1", "heap", HEAP_64K),
    ("atm", "", "loop-back nodes have no kernel that deposits", LOOPBACK),
    ("atm", "--form atomic", "--form atomic: what its sections change is in the memory of one node, and there are 2", LOOPBACK),
    ("atm", "--form servers", "GRAVEL_SERVER_MODE=resident: launches have one work-group at once",
     {"GRAVEL_HOST_CORES": "1", "POCL_MAX_PTHREAD_COUNT": "2"}),
    ("hashtable", "--items 20", "heap", HEAP_64K),
]

# Under mpirun: one line, whatever the number of ranks.
GROUPS["ranks"] = [
    ("kmeans", "-k 257", "-k: '257' is not in 1..256"),
    ("mst", "-f negative.wel", "negative.wel:3: weight is not a whole number of 0 to 4294967295"),
]
# Forms of critical sections that a node has alone.
GROUPS["forms of ranks"] = [
    ("boruvka", "-u 4", "--form phases: what its sections change is in the memory of one node, and there are 2"),
    ("atm", "--form lock", "--form lock: what its sections change is in the memory of one node, and there are 2"),
]
# The heap that the caller sets does not hold the problem.
GROUPS["heap of ranks"] = [
    ("gups", "--table 20", "heap", HEAP_20K),
    ("chapter5/pagerank", "-u 16 -k 1", "heap", HEAP_20K),
    ("chapter5/sssp", "-u 16 -k 1", "heap", HEAP_20K),
    ("color", "-u 16 -k 1", "heap", HEAP_20K),
    ("chapter5/color", "-u 16 -k 1", "heap", HEAP_20K),
    ("kmeans", "-p 1000 -k 256 -d 16", "heap", HEAP_20K),
    ("hashtable", "--items 20", "heap", HEAP_20K),
    ("atm", "--orders 20", "heap", HEAP_20K),
]
