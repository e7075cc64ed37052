/* The socket to the canvas program (canvas/serve/web_child.h): one JSON a packet, bytes as sealed
 * memfds.
 *
 *   {"id":1,"do":"navigate","params":{"url","trustNetwork"?,"show"?,"placement"?,
 *   "title"?}}
 *                               {"id":1,"ok":true,"result":{"url"}}
 *   {"id":2,"do":"eval","params":{"javaScript"}}, or the script as bytes
 *                               {"result":"text"}, or {"isText":true} + bytes
 *   {"id":3,"do":"snapshot","params":{"format","maxWidth","quality"}}
 *                               {"format","width","height"} + bytes
 *   {"id":4,"do":"view","params":{"since"?}}
 *                               {"rev","width","height","changed"} + bytes when changed
 *   {"do":"present","params":{"placement"?,"quiet"?}}
 *   {"do":"hide"}
 *   {"do":"action-status","params":{"id","ok","error"?}}
 *   errors                      {"id":N,"ok":false,"code","message"}
 *   events                      {"event":{"action"|"geometry"|"closed":…}}
 *
 * One after the other, in order. */
#ifndef CANVAS_WEB_WIRE_H
#define CANVAS_WEB_WIRE_H

#include <stdbool.h>

/* Until the other side is gone. root: the folder of canvas files, NULL: none. Who started us says
 * which; the canvas program, which reads what agents send, cannot. */
bool cv_web_serve(int socket, bool is_headless, const char *root);

#endif
