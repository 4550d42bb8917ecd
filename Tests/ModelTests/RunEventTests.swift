import Bluetooth
import Foundation
import Model
import SampleFacts
import Testing

@Suite("run events") struct RunEventTests {
  static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  static let facts = SampleFacts.facts

  @Test("every kind of fact has an example")
  func everyKind() {
    #expect(Self.facts.map(\.kind) == Fact.Kind.allCases)
  }

  @Test("an event reads back as it was written", arguments: facts)
  func roundTrip(fact: Fact) throws {
    let event = RunEvent(
      sequence: 7, at: Date(timeIntervalSince1970: 1_795_251_600.123), elapsed: .microseconds(4711),
      fact: fact)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(event)
    let back = try JSONDecoder().decode(RunEvent.self, from: data)
    #expect(back == event)
    #expect(try encoder.encode(back) == data)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""at":"2026-11-21T09:00:00.123Z""#))
    #expect(text.contains(#""v":1"#))
    // All frozen names are snake_case.
    #expect(text.firstMatch(of: #/"[a-z]+[A-Z][A-Za-z]*":/#) == nil)
  }

  @Test("a fact of an attempt has the number of that attempt", arguments: facts)
  func attemptNumber(fact: Fact) {
    #expect((fact.attempt == 1) == factsOfAttempts.contains(fact.kind))
    if fact.attempt != nil { #expect(fact.room == "lobby") }
  }

  @Test("an unknown kind is rejected, in an event and as a name")
  func unknownKind() {
    #expect(Fact.Kind(rawValue: "run_exploded") == nil)
    #expect(Fact.Kind(rawValue: "run_started") == "run_started")
  }

  @Test(
    "an unknown version, kind, time or value is rejected",
    arguments: [
      #"{"v":3,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#,
      #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_exploded","data":{}}"#,
      #"{"v":1,"seq":1,"at":"yesterday","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#,
      #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_finished","data":{"outcome":"fine"}}"#,
    ])
  func unknownContent(line: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8)) }
  }

  @Test(
    "a time of day is read if and only if the calendar has its day",
    arguments: [1970, 1972, 2000, 2023, 2024, 2100, 2400])
  func days(year: Int) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for month in 0...13 {
      for day in 0...32 {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let components = DateComponents(year: year, month: month, day: day, hour: 9, minute: 30, second: 1)
        let isDay = (1...12).contains(month) && day > 0 && components.isValidDate(in: calendar)
        let read = Timestamp("\(year)-\(digits(month))-\(digits(day))T09:30:01.000Z")?.time
        #expect(read == (isDay ? calendar.date(from: components) : nil), "\(year)-\(month)-\(day)")
        if let read {
          #expect(RunEvent.timestamp(read) == "\(year)-\(digits(month))-\(digits(day))T09:30:01.000Z")
        }
      }
    }
  }

  @Test("a time is written as Foundation writes it, to the nearest millisecond")
  func timesWritten() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var times = Array(stride(from: 0, to: 253_402_300_800, by: 86_512_345.678))
    times += [
      0, 0.000_4, 0.000_6, 951_782_399.999_7, 253_402_300_799.999, 253_402_300_799.999_6, 253_402_300_800, -1,
    ]
    for time in times.map({ Date(timeIntervalSince1970: $0) }) {
      // The style truncates.
      #expect(RunEvent.timestamp(time) == style.format(Timestamp.rounded(time).addingTimeInterval(0.000_2)))
    }
  }
}
