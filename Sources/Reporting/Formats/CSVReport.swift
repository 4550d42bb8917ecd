import Bluetooth
import Model

/// `report.csv`: one row a room, in the order of the manifest, for a spreadsheet.
///
/// RFC 4180: UTF-8, comma, CRLF, a header row, quotes where needed. A text that a spreadsheet would take
/// for a formula gets a leading apostrophe; numbers stay numbers. Column names are frozen, new ones come last.
public enum CSVReport {
  /// The columns, in order.
  public static let columns = [
    "room", "id", "profile", "minor", "outcome", "address", "adapter", "attempts", "duration_s", "rssi",
    "evidence", "settings_proved", "settings_written", "settings_not_written", "reason", "reason_code",
    "advice", "log", "registered", "settings",
  ]

  /// The file's text.
  public static func text(_ report: RunReport) -> String {
    let rows = [columns.map(Cell.text)] + report.rooms.map(cells)
    return rows.map { $0.map(\.encoded).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func cells(_ room: RoomReport) -> [Cell] {
    let explanation = Explanation(of: room)
    func names(_ state: SettingState) -> Cell {
      .text(room.settings.filter { $0.state == state }.map(\.name.rawValue).joined(separator: " "))
    }
    return [
      .text(room.planned.name),
      .text(room.id.rawValue),
      .text(room.planned.profile.rawValue),
      .number(room.minor.map { String($0) }),
      .text(room.outcome.rawValue),
      .text(room.address?.description),
      .text(room.adapter?.description),
      .number(String(room.attempts)),
      .number(Decimal.short(room.seconds)),
      .number(room.rssi.map { String($0) }),
      .text(room.evidence?.grade.rawValue),
      names(.proved),
      names(.written),
      names(.notWritten),
      .text(explanation?.sentence),
      .text(room.reason?.code.rawValue),
      .text(explanation?.advice),
      .text(room.log),
      .text(room.isRegistered ? "true" : "false"),
      .text(
        room.settings.compactMap { setting in setting.value.map { "\(setting.name)=\($0)" } }
          .joined(separator: "; ")),
    ]
  }

  /// A cell before it is written down.
  enum Cell {
    /// Somebody's words: never a formula.
    case text(String?)
    /// A number of ours: written as it is.
    case number(String?)

    /// The cell as it stands in the file.
    var encoded: String {
      switch self {
      case .number(let digits): digits ?? ""
      case .text(let text): Self.quoted(Self.neutralised(Self.printable(text ?? "")))
      }
    }

    /// Without characters that end or corrupt a file for common readers; tabs and line ends may stay, for
    /// they can be quoted.
    private static func printable(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        let isLayout = scalar == "\t" || scalar == "\n" || scalar == "\r"
        if scalar.isObeyed, !isLayout {
          result += scalar.spelt
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
      return result
    }

    /// With a leading apostrophe where a spreadsheet would calculate. Some skip blanks before they look, and
    /// some take the full-width signs too.
    private static func neutralised(_ text: String) -> String {
      let scalars = text.unicodeScalars
      guard let first = scalars.first else { return text }
      let dangerous: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
      let isDangerous =
        first == "\t" || first == "\r" || first == "\n"
        || scalars.first { !$0.properties.isWhitespace }.map(dangerous.contains) ?? false
      return isDangerous ? "'" + text : text
    }

    /// Scalar by scalar: a quote with a combining mark is one character to Swift, and still ends a field.
    private static func quoted(_ text: String) -> String {
      let scalars = text.unicodeScalars
      let needsQuotes =
        scalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
        || scalars.first == " " || scalars.last == " "
      guard needsQuotes else { return text }
      var result = "\""
      for scalar in scalars {
        if scalar == "\"" { result.unicodeScalars.append(scalar) }
        result.unicodeScalars.append(scalar)
      }
      return result + "\""
    }
  }
}
