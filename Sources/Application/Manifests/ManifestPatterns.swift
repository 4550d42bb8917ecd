/// Regular expressions (ECMA-262, as in JSON Schema) for the values of settings.
enum Pattern {
  /// A text with any blanks, its letters in either case.
  static func spelling(_ text: String) -> String {
    let characters = text.filter { $0 != " " }.map { character in
      if character == "-" { return "[-−]" }
      return character.isLetter ? "[\(character.lowercased())\(character.uppercased())]" : String(character)
    }
    return " *" + characters.joined(separator: " *") + " *"
  }

  /// A duration above 0 within bounds: a whole number, without leading zeros, and its unit.
  static func duration(_ bounds: ClosedRange<Duration>) -> String {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000)].compactMap { unit, milliseconds -> String? in
      let unitLength = Duration.milliseconds(milliseconds)
      let most = Int(bounds.upperBound / unitLength)
      let least = Int((bounds.lowerBound / unitLength).rounded(.up))
      return least <= most ? "(\(decimal(least...most)))\(unit)" : nil
    }
    return "^(\(units.joined(separator: "|")))$"
  }

  /// A whole number within bounds, in decimal digits without leading zeros.
  static func decimal(_ bounds: ClosedRange<Int>) -> String {
    if bounds.lowerBound < 0 {
      let negative = "-" + decimal(max(1, -bounds.upperBound)...(-bounds.lowerBound))
      return bounds.upperBound < 0 ? negative : "(\(negative)|\(decimal(0...bounds.upperBound)))"
    }
    // `-0` is a 0, too.
    var all = bounds.contains(0) ? ["-?0"] : []
    var least = bounds.lowerBound
    while least <= bounds.upperBound {
      // The numbers that differ from `least` in one digit and in the zeros after it.
      var (block, zeros) = (1, 0)
      while least > 0, least % (block * 10) == 0, least + block * 10 - 1 <= bounds.upperBound {
        (block, zeros) = (block * 10, zeros + 1)
      }
      let head = least / block / 10
      let digit = least / block % 10
      let last = min(9, digit + (bounds.upperBound + 1 - least) / block - 1)
      let digits = digit == last ? "\(digit)" : "[\(digit)-\(last)]"
      all.append((head > 0 ? "\(head)" : "") + digits + (zeros > 0 ? "[0-9]{\(zeros)}" : ""))
      least += (last - digit + 1) * block
    }
    return "(\(all.joined(separator: "|")))"
  }
}
