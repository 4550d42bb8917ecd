package import Source

/// A text with marked places. `1️⃣` to `9️⃣` mark where a test expects something; they are not in the text.
package struct MarkedText {
  /// The text without its markers.
  package let text: String
  /// The places of the markers, by number.
  package let marks: [Int: Mark]

  /// Reads a text with markers.
  package init(_ marked: String) {
    var text = ""
    var marks: [Int: Mark] = [:]
    var line = 1
    var column = 1
    for character in marked {
      let scalars = Array(character.unicodeScalars)
      if scalars.count == 3, scalars[1].value == 0xFE0F, scalars[2].value == 0x20E3,
        let number = Int(String(scalars[0]))
      {
        marks[number] = Mark(line: line, column: column, offset: text.utf8.count)
        continue
      }
      text.append(character)
      if ["\n", "\r", "\r\n"].contains(character) {
        line += 1
        column = 1
      } else {
        column += scalars.count
      }
    }
    self.text = text
    self.marks = marks
  }

  package var bytes: [UInt8] { Array(text.utf8) }

  /// A marker's place.
  package subscript(number: Int) -> Mark? { marks[number] }
}
