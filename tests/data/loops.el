# loops and repeats, one way only; 4 has no edges
0 0
0 1
0 1
1 2
2 0
2 3
3 2
5 3
1 5
