import Application
import Host
import Manifest
import Model
import Reporting

/// `init --from`: shows how a table is read, and asks what the table leaves open. Without a terminal it stops there, with the
/// options that answer it.
struct ImportDialog {
  let file: String
  /// Whether the manifest takes the secrets of labels from a file of labels.
  let hasLabels: Bool
  let questions: InitQuestions

  /// The rooms of a table when nothing is open any more.
  /// - Throws: `CommandFailure` if something is, or the table must be corrected.
  func rooms(
    of table: RoomSpreadsheet, _ family: DeviceFamily, _ given: TableImport.Answers
  ) async throws -> TableImport {
    var answers = given
    while true {
      let reading = TableImport(table, of: family, answers)
      try reading.columns.requireKnown(in: file)
      if table.isAssumed {
        Console.say("\(file) is not UTF-8: it is read as Windows-1252. Check the letters below.")
      }
      show(reading)
      try refuseProblems(reading)
      if reading.questions.isEmpty {
        guard let correction = await questions.correction(of: reading.columns) else { return reading }
        answers.columns.removeAll {
          !correction.key.isEmpty && $0.key == correction.key || $0.value == correction.value
        }
        answers.columns.append(correction)
        continue
      }
      guard questions.canAsk else { throw failure(reading) }
      // An answer may make another question needless.
      try await answer(reading.questions[0], reading, &answers)
    }
  }

  // MARK: What is shown

  private func show(_ reading: TableImport) {
    let columns = reading.columns
    for column in columns.columns {
      Console.say(
        "Column “\(column.header.visible)”: \(Self.words(column, hasLabels && reading.labelCount > 0))")
    }
    for note in reading.notes { Console.say("Left out: \(note)") }
    for entry in reading.entries.prefix(3) {
      Console.say("  " + entry.map { "\($0.key) \($0.value.visible)" }.joined(separator: ", "))
    }
    if !reading.names.isEmpty { Console.say(ListedRooms.summary(reading.names).visible) }
  }

  private static func words(_ column: TableColumns.Column, _ hasLabels: Bool) -> String {
    if let secret = column.secret {
      return hasLabels ? "\(secret), into the file of labels" : "ignored: `\(secret)` is a secret"
    }
    guard let key = column.key else { return "ignored" }
    return column.reason == .content ? "\(key), because of what is in it" : key
  }

  // MARK: What is open

  private func answer(
    _ question: TableImport.Question, _ reading: TableImport, _ answers: inout TableImport.Answers
  ) async throws {
    Console.say(Self.sentence(question, in: file))
    switch question {
    case .column(let column):
      let header = await questions.header(for: column, in: reading.columns)
      answers.columns.append(.init(column.key, header))
    case .numbers(let key, let proposal):
      answers.numbers = await questions.numbers(key, proposal)
    case .count(let proposed, let literal, _):
      let isMeant = await questions.isRight("\(ListedRooms.summary(proposed).visible): is this right")
      answers.count = isMeant ? proposed.count : literal
    case .thousands(_, let text):
      let digits = text.filter(\.isNumber)
      guard await questions.isRight("Is “\(text)” the number \(digits)") else {
        throw CommandFailure(.manifest, Self.sentence(question, in: file), advice: "Correct the table.")
      }
      answers.hasThousands = true
    }
  }

  static func sentence(_ question: TableImport.Question, in file: String) -> String {
    switch question {
    case .column(let column):
      let names = column.candidates.map { "“\($0.visible)”" }.joined(separator: " or ")
      if column.candidates.isEmpty { return "No column of \(file) is certainly the `\(column.key)`." }
      return column.isByWord
        ? "\(names) can be the `\(column.key)` of the rooms."
        : "No header names the `\(column.key)`; it may be \(names)."
    case .numbers(let key, _): return "No column of \(file) has a `\(key)`, which every room needs."
    case .count(let proposed, let literal, let reasons):
      let other =
        literal == proposed.count ? "" : ", or \(literal) \(literal == 1 ? "room" : "rooms") by the rows"
      return "\(reasons.joined(separator: "; ")): \(ListedRooms.summary(proposed).visible)\(other)."
    case .thousands(let line, let text):
      return
        "\(file):\(line): “\(text)” is \(text.filter(\.isNumber)) in one language, and has a fraction in another."
    }
  }

  /// The options that give the likeliest answers.
  private static func options(for questions: [TableImport.Question]) -> [String] {
    var taken: Set<String> = []
    return questions.flatMap { question -> [String] in
      switch question {
      case .column(let column):
        let header = column.candidates.first { !taken.contains($0) }
        if let header { taken.insert(header) }
        return ["--column", "\(column.key)=\(header ?? "HEADER")"]
      case .numbers(_, .names): return ["--minors", "names"]
      case .numbers(_, .from(let first)): return ["--minors", "from", String(first)]
      case .count(let proposed, _, _): return ["--count", String(proposed.count)]
      case .thousands: return ["--thousands"]
      }
    }
  }

  private func failure(_ reading: TableImport) -> CommandFailure {
    let sentences = reading.questions.map { Self.sentence($0, in: file) }
    let command = Preferences.current.arguments + Self.options(for: reading.questions)
    return CommandFailure(
      .manifest, "nothing was written. \(sentences.joined(separator: " "))",
      advice: "If it is meant so: roboprov \(command.map(\.shellQuoted).joined(separator: " "))")
  }

  private func refuseProblems(_ reading: TableImport) throws {
    guard !reading.problems.isEmpty else { return }
    throw CommandFailure(
      .manifest, "\(file): \(reading.problems.joined(separator: "; "))",
      advice: "Correct the table (a column of names has the format “text”), and run the same command again.")
  }
}
