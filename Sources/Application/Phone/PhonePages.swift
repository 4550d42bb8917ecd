import HTTP
import Reporting

/// The documents that phones get.
extension PhoneReplies {
  static let page = String(decoding: PackageResources.phone_html, as: UTF8.self)
  static let style = String(decoding: PackageResources.phone_css, as: UTF8.self)
  static let script = LivePage.connection + String(decoding: PackageResources.phone_js, as: UTF8.self)

  static func json(_ members: KeyValuePairs<String, any OutputValue>) -> HTTPAnswer {
    HTTPAnswer(JSONValue.values(members).line, "application/json")
  }

  /// The page of a phone that waits until a person at the laptop has compared its code.
  static func waiting(_ code: String) -> HTTPAnswer {
    HTTPAnswer(
      notice(
        "Ask at the laptop",
        "<p class=\"code\">\(code)</p>\n"
          + "<p role=\"status\">Type this number at the laptop, and this phone can work.</p>",
        head: "<meta http-equiv=\"refresh\" content=\"2\">\n"), "text/html")
  }

  /// The answer to a phone that may not work: a page for a person, nothing for a program.
  static func refusal(_ refusal: PhoneRefusal, isPage: Bool) -> HTTPAnswer {
    let status: HTTPAnswer.Status
    var words: String?
    switch refusal {
    case .host, .origin, .size: status = .forbidden
    case .token: status = .notFound
    case .type: status = .unsupportedMediaType
    case .unknown: (status, words) = (.forbidden, "Scan the code that the laptop shows.")
    case .refused: (status, words) = (.forbidden, "The laptop has refused this phone.")
    case .crowd: (status, words) = (.serviceUnavailable, "Too many phones work or wait.")
    }
    var answer = HTTPAnswer(status)
    if let words, isPage {
      answer = HTTPAnswer(notice("roboprov", "<p>\(words)</p>"), "text/html")
      answer.status = status
    }
    return answer
  }

  private static func notice(_ title: String, _ content: String, head: String = "") -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    \(head)<link rel="icon" href="data:,">
    <link rel="stylesheet" href="phone.css">
    <title>\(title)</title>
    </head>
    <body><main><h1>\(title)</h1>
    \(content)</main></body>
    </html>

    """
  }
}
