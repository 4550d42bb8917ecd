/// A strict reader of RFC 4180, written from the document and not from our writer: records end in
/// CRLF, a field is quoted whole or not at all, a quote inside is doubled. Anything else is nil.
func parseCSV(_ text: String) -> [[String]]? {
  var input = Array(text.unicodeScalars)[...]
  guard input.popFirst() == "\u{FEFF}" else { return nil }
  var records: [[String]] = []
  while !input.isEmpty {
    var record: [String] = []
    while true {
      var field = String.UnicodeScalarView()
      if input.first == "\"" {
        input.removeFirst()
        while true {
          guard let scalar = input.popFirst() else { return nil }
          guard scalar == "\"" else {
            field.append(scalar)
            continue
          }
          guard input.first == "\"" else { break }
          field.append(input.removeFirst())
        }
      } else {
        while let scalar = input.first, scalar != ",", scalar != "\r" {
          guard scalar != "\"", scalar != "\n" else { return nil }
          field.append(input.removeFirst())
        }
      }
      record.append(String(field))
      guard let next = input.popFirst() else { return nil }
      if next == "," { continue }
      guard next == "\r", input.popFirst() == "\n" else { return nil }
      break
    }
    records.append(record)
  }
  return records
}
