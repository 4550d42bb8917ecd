/// A request for a document. Its body is never read.
package struct HTTPRequest {
  package let method: String
  /// The path as sent, with its query.
  package let target: String
  /// The value of the cookie of a name.
  package let cookie: (String) -> String?
}
