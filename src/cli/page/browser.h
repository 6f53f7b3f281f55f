/* Opening a page in a browser. */
#ifndef KYMO_BROWSER_H
#define KYMO_BROWSER_H

/* In $BROWSER, else by xdg-open if there is a display; otherwise nothing happens, nor when the
 * browser cannot be started: the page is there.  what: a file or a link.  Does not wait. */
void browser_open(const char *what);

#endif
