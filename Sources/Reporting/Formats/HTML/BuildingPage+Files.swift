import Digest
import FoundationEssentials

/// The style sheet and the scripts. They contain nothing of the record.
extension BuildingPage {
  static let style = Markup(embedded: PackageResources.page_css) + symbols
  static let script = Markup(embedded: PackageResources.page_js)

  /// The symbol of each mark. Screen readers do not speak it: the link has the words.
  private static let symbols: Markup = RoomGrid.Mark.all.map { mark in
    ".cells .\(mark.name)::before{content:\"\(mark.symbol)\";content:\"\(mark.symbol)\"/\"\"}\n"
  }.joined()

  /// What the browser may run and load: the page's own script and styles, by their hashes, and nothing else. So text
  /// of the record could run nothing even if it became markup.
  static let policy: Markup = """
    default-src 'none'; style-src \(source(style)); script-src \(source(script)); base-uri 'none'; form-action 'none'
    """

  /// The source expression for a text between tags (Content Security Policy Level 3, 2.3.1).
  private static func source(_ text: Markup) -> Markup {
    "'sha256-\(Data(SHA256(of: Array(text.text.utf8)).bytes).base64EncodedString())'"
  }
}

extension LivePage {
  package static let style = BuildingPage.style.text
  package static let script = connection + Markup(embedded: PackageResources.live_js).text
  /// The part of the script that pages of other commands share.
  package static let connection = Markup(embedded: PackageResources.connection_js).text
}
