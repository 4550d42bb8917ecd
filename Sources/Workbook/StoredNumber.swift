import CGLib
import Model

/// Numbers as a workbook stores them.
enum StoredNumber {
  /// A whole number without its fraction, `101` of `101.0`; another one as it is stored.
  /// - Parameter digits: The least number of digits, to which its format adds zeros.
  static func text(_ stored: String, digits: Int = 0) -> String {
    guard let number = Double(stored, in: -1e15...1e15), number == number.rounded() else { return stored }
    let text = String(Int(number))
    return number < 0 ? text : String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// The date of a day count in a workbook, `2026-01-02`; nil if it is none.
  /// - Parameter is1904: Whether day 0 is the first of January 1904, else it is the thirtieth of December 1899.
  static func date(_ stored: String, is1904: Bool) -> String? {
    guard let days = Double(stored, in: 1...2_958_465) else { return nil }
    // 1899-12-30 and 1904-01-01 as days from 0001-01-01, which is day 1.
    guard let date = g_date_new_julian(UInt32(days) + (is1904 ? 695_056 : 693_594)) else { return nil }
    defer { g_date_free(date) }
    let parts = [g_date_get_month(date).rawValue, UInt32(g_date_get_day(date))].map {
      $0 < 10 ? "0\($0)" : "\($0)"
    }
    return "\(g_date_get_year(date))-\(parts[0])-\(parts[1])"
  }
}
