/// A request. Its texts are those of the client.
package struct HTTPRequest {
  package let method: String
  /// The path as sent, with its query.
  package let target: String
  /// The client's address in numbers.
  package let address: String
  /// The value of the cookie of a name.
  package let cookie: (String) -> String?
  /// The value of the header field of a name.
  package let field: (String) -> String?
  /// Nil unless a reply asked for it.
  package let body: [UInt8]?
}

/// What a server does with a request.
package enum HTTPReply: Sendable {
  case answer(HTTPAnswer)
  /// Read the body, and then ask for a reply to the same request with it. Without a length, or with one above this number of
  /// bytes, it is refused before it is read.
  case body(upTo: Int)
  /// Answer when the work has ended. A client that has gone does not end it; the end of the server cancels it.
  case later(@Sendable () async -> HTTPAnswer)
}
