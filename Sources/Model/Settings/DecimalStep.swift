/// The distance between two values of a decimal setting: `units` of the last of `places` decimal places.
package struct DecimalStep: Hashable, Sendable {
  /// At least 1.
  package let units: Int
  package let places: Int

  /// Digits of a number, without its point: more do not fit into 64 bits.
  private static let digits = 15

  /// A step as people write it: `0.5`. Nil for another text, and unless it is above 0.
  package init?(_ text: String) {
    let places = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first?.count ?? 0
    guard let units = Self.scaled(text, places), units > 0 else { return nil }
    (self.units, self.places) = (units, places)
  }

  /// The number of steps in a number as people write it; nil for another text, and between two steps.
  package func count(_ text: String) -> Int? {
    guard let number = Self.scaled(text, places), number % units == 0 else { return nil }
    return number / units
  }

  /// This many steps as a number, without zeros at its end: `-0.5`, `21`.
  package func text(_ count: Int) -> String {
    let (number, isTooLarge) = count.multipliedReportingOverflow(by: units)
    if isTooLarge { return "\(count) steps" }
    let digits = "\(number.magnitude)"
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let fraction = String(padded.suffix(places).reversed().drop { $0 == "0" }.reversed())
    let whole = (number < 0 ? "-" : "") + String(padded.dropLast(places))
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }

  /// A decimal number in units of its last place; nil for another text, and for more places or digits.
  private static func scaled(_ text: String, _ places: Int) -> Int? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.map({ String($0) }), !whole.isEmpty, whole == "0" || whole.first != "0"
    else { return nil }
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    guard parts.count == 1 || !fraction.isEmpty, fraction.count <= places,
      whole.count + places <= Self.digits,
      (whole + fraction).utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let zeros = String(repeating: "0", count: places - fraction.count)
    return Int((text.hasPrefix("-") ? "-" : "") + whole + fraction + zeros, in: SettingDescription.integers)
  }
}
