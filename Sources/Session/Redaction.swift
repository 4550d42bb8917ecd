import Model

/// Takes secrets out of facts. It keeps the last statuses of each room's device: a secret may be split over
/// several.
struct Redaction {
  var redactor = Redactor([])
  private var statuses: [RoomID: Statuses] = [:]

  private struct Statuses {
    /// The end of all statuses so far.
    var tail: String
    var last: String
    var lastRedacted: String
  }

  mutating func redacted(_ fact: Fact) -> Fact {
    if redactor.isEmpty { return fact }
    let result = fact.redacted { text in redacted(text, fact.room) }
    if case .roomFinished(let fact) = fact { statuses[fact.room] = nil }
    return result
  }

  private mutating func redacted(_ text: OutsideText, _ room: RoomID?) -> String {
    guard let room else { return redactor(text.text) }
    let before = statuses[room]
    guard text.isStatus else {
      // A failure quotes the status that caused it.
      return before?.last == text.text ? before?.lastRedacted ?? redactor(text.text) : redactor(text.text)
    }
    let result = redactor(text.text, after: before?.tail ?? "")
    statuses[room] = Statuses(
      tail: Redactor.tail(of: (before?.tail ?? "") + text.text), last: text.text, lastRedacted: result)
    return result
  }
}
