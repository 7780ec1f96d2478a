/**
 * A gateway in front of a provider, which refuses a body for its bytes and has read nothing of it.
 *
 * @since 0.1.0
 */

/**
 * What nginx answers to a body above its `client_max_body_size`.
 *
 * @since 0.1.0
 * @category constants
 */
export const gatewayRefusal = {
  status: 413,
  headers: { "content-type": "text/html" },
  pieces: [
    "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
  ]
} as const
