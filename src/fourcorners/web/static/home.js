// The home page of a newcomer, with its board.

import "./page.js";
import { HomeBoard } from "./home_board.js";
import "./home_page.js";

new HomeBoard();
