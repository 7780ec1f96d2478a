/**
 * A gateway in front of a provider, which refuses a body for its bytes and has read nothing of it.
 *
 * @since 0.1.0
 */

/**
 * What nginx answers to a body above its `client_max_body_size`; undefined: the body passes.
 *
 * @since 0.1.0
 * @category getters
 */
export const refuseBytes = (
  body: string,
  limit: number
):
  { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined =>
  Buffer.byteLength(body) <= limit
    ? undefined
    : {
        status: 413,
        headers: { "content-type": "text/html" },
        body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
      }
