/* The judging page when nothing is to be judged: what is still unsent goes out from here. */
import { part } from "./judge/page.js";
import * as sending from "./judge/sending.js";
import * as unsent from "./judge/unsent.js";

const light = part("[data-light]");
sending.told.refresh = () => {
  const count = unsent.all().length;
  light.hidden = !count;
  light.textContent = count ? `${count} unsent` : "";
};
unsent.onChange(sending.told.refresh);
unsent.open().then(unsent.recall).then(() => { sending.told.refresh(); return sending.send(); });
