# SPDX-License-Identifier: MIT
"""All figures: those of the dissertation in its order, then those of Wang et al. (2019) and Orr et al. (2015). Each module has

NAME        of its files and markers
TITLE       what it shows
PUBLISHED   numbers or shape in the publication, as far as they are known
measure     (place) -> rows, each with the command that made it; raises Failed
table       (rows) -> heads, lines
draw        (rows, draw module) -> matplotlib figure; missing if the table says it all
"""
from study import (figure_3_9, figure_4_13, figure_4_15, figure_4_16, figure_4_17, figure_5_3, figure_5_5, figure_5_8,
                   figure_5_10, figure_5_11, section_5_6_2, servers_figure_7, stealing_figure_10, table_3_2, table_4_3,
                   table_4_5, table_5_4)

FIGURES = (table_3_2, figure_3_9, table_4_3, figure_4_13, figure_4_15, table_4_5, figure_4_16, figure_4_17, figure_5_3,
           figure_5_5, figure_5_8, table_5_4, figure_5_10, figure_5_11, section_5_6_2, servers_figure_7, stealing_figure_10)
BY_NAME = {figure.NAME: figure for figure in FIGURES}
