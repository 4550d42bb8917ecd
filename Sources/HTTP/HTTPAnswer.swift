/// The answer to a request. The connection ends with it.
package struct HTTPAnswer: Sendable {
  /// The statuses that are used here (RFC 9110, 15).
  package enum Status: UInt32, Sendable {
    case ok = 200
    case seeOther = 303
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case conflict = 409
    case lengthRequired = 411
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case serviceUnavailable = 503
  }

  package var status: Status
  /// Its header fields besides those of every answer. They must not have text from outside.
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  /// What follows the body as it happens; nil if the answer is complete.
  package var events: HTTPEvents?

  /// An answer without content.
  package init(_ status: Status, _ fields: [(name: String, value: String)] = []) {
    (self.status, self.fields) = (status, fields)
  }

  /// A text of a type.
  package init(_ text: String, _ type: String) {
    self.init(Array(text.utf8), type: type + "; charset=utf-8")
  }

  /// A document.
  package init(_ body: [UInt8], type: String) {
    self.init(.ok, [("Content-Type", type)])
    self.body = body
  }

  /// Events as they happen, until the client goes away.
  package init(_ events: HTTPEvents) {
    self.init(.ok, [("Content-Type", "text/event-stream")])
    self.events = events
  }

  /// For every answer: it is not kept, tells no other site where it came from, and loads, runs and sends nothing but what
  /// this server has (Content Security Policy Level 3).
  private static let always: [(name: String, value: String)] = [
    ("Connection", "close"), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
  ]

  /// Its header fields with those of every answer.
  var allFields: [(name: String, value: String)] { Self.always + fields }
}
