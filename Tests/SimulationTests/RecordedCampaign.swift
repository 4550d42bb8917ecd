import Foundation
import Model
import RecordedText
import Simulation
import Synchronization
import Testing

/// What the buildings of a campaign came to: a line for each, with a fingerprint of its journals. A change of what runs do, or
/// of what they record, shows here, whether a rule forbids it or not.
final class RecordedCampaign: Sendable {
  private let lines = Mutex<[String]>([])

  /// The number of buildings that are compared: those that `make test` plays.
  private let count: Int

  init(_ count: Int) { self.count = count }

  func add(_ result: TestCaseResult) {
    let tally = result.tally
    let outcomes = tally.outcomes.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      "\($0.key.rawValue) \($0.value)"
    }
    let journals = result.journals.map { Fingerprint($0).description }.joined(separator: " ")
    let seconds = tally.virtualTime.components.seconds
    lines.withLock {
      $0.append(
        "\(result.seed): \(tally.events) events in \(seconds) s, \(outcomes.joined(separator: ", ")): \(journals)"
      )
    }
  }

  /// Expects that the buildings are those of Tests/Snapshots/Campaigns.
  func expectRecorded(as name: String) throws {
    let text = lines.withLock { $0.prefix(count).map { $0 + "\n" }.joined() }
    try RecordedText.expectRecorded(text, in: projectFile("Tests/Snapshots/Campaigns/\(name).txt"))
  }
}
