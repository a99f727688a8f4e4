/** In this browser, the person who saw the setup last: for them `/` leads to the requests. */
export const SETUP_SEEN = 'setup-seen';
