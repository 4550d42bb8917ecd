import Bluetooth
import Foundation
import Model
import SampleFacts
import Session
import Testing

@Suite("failure reasons")
struct FailureReasonTests {
  typealias Example = SampleFacts.ReasonExample
  static let examples = SampleFacts.reasons
  private static let write = FailedStep(.write, setting: .minor, stackText: "busy")
  private static let held = "uuid 0D1E, major 1, minor 9"

  private func decode(_ json: String) throws -> FailureReason {
    try JSONDecoder().decode(FailureReason.self, from: Data(json.utf8))
  }

  @Test("every reason code has an example")
  func complete() {
    #expect(Set(Self.examples.map(\.reason.code)) == Set(FailureReason.Code.allCases))
  }

  @Test("a reason is written as one flat object and reads back equal", arguments: examples)
  func roundTrip(example: Example) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(example.reason), as: UTF8.self) == example.json)
    #expect(try decode(example.json) == example.reason)
  }

  @Test("a service or characteristic that exists more than once has a reason of its own")
  func ambiguous() {
    let error = CentralError(.attributeAmbiguous("180A"), stackText: "two objects")
    #expect(
      FailureReason(error, stage: .discover, setting: nil)
        == .serviceAmbiguous(FailedStep(.discover, stackText: "two objects")))
  }

  /// Objects without context that their code requires, and the missing key.
  static let incomplete: [(json: String, missing: String)] = [
    (#"{"code":"connect_timed_out"}"#, "stage"),
    (#"{"code":"connect_failed"}"#, "stage"),
    (#"{"code":"unknown_to_stack"}"#, "stage"),
    (#"{"code":"link_lost"}"#, "stage"),
    (#"{"code":"link_lost","stage":null}"#, "stage"),
    (#"{"code":"stage_timed_out"}"#, "stage"),
    (#"{"code":"service_missing"}"#, "stage"),
    (#"{"code":"attribute_rejected"}"#, "stage"),
    (#"{"code":"refused"}"#, "stage"),
    (#"{"code":"save_not_kept"}"#, "stage"),
    (#"{"code":"no_self_disconnect"}"#, "stage"),
    (#"{"code":"host_paused"}"#, "stage"),
    (#"{"code":"out_of_slots"}"#, "stage"),
    (#"{"code":"stack_error"}"#, "stage"),
    (#"{"code":"never_received","stage":"search"}"#, "seconds"),
    (#"{"code":"refused","stage":"save"}"#, "device_text"),
    (#"{"code":"wrong_identity","identity":"minor 9"}"#, "stage"),
    (#"{"code":"wrong_identity","stage":"verify"}"#, "identity"),
    (#"{"code":"read_back_mismatch","held":"x","setting":"power"}"#, "stage"),
    (#"{"code":"read_back_mismatch","held":"x","stage":"read"}"#, "setting"),
    (#"{"code":"read_back_mismatch","setting":"power","stage":"read"}"#, "held"),
    (#"{"code":"foreign_settings"}"#, "held"),
    (#"{"addresses":[],"candidates":[],"code":"received_from_other_address","identity":"minor 5"}"#, "stage"),
    (#"{"code":"received_from_other_address","stage":"verify"}"#, "identity"),
    (#"{"code":"received_from_other_address","identity":"minor 5","stage":"verify"}"#, "addresses"),
    (
      #"{"addresses":[],"code":"received_from_other_address","identity":"minor 5","stage":"verify"}"#,
      "candidates"
    ),
    (#"{"addresses":[],"code":"interrupted","stage":"verify"}"#, "identity"),
    (#"{"addresses":[],"code":"stack_lost","identity":"minor 5","stage":"verify"}"#, "candidates"),
    (#"{"code":"configured_otherwise"}"#, "identity"),
    (#"{"code":"identity_on_air"}"#, "identity"),
    (#"{"code":"identity_on_air","identity":"minor 7"}"#, "addresses"),
    (#"{"code":"identity_on_record"}"#, "identity"),
    (#"{"code":"identity_on_record","identity":"minor 7"}"#, "addresses"),
    (#"{"code":"adapter_claimed"}"#, "stack_text"),
    (#"{"code":"too_many_candidates"}"#, "addresses"),
    (#"{"code":"not_clearly_nearest"}"#, "near"),
    (#"{"code":"not_clearly_nearest","near":"hci0"}"#, "candidates"),
    (#"{"code":"not_near"}"#, "near"),
    (#"{"code":"not_near","near":"hci0"}"#, "candidates"),
    (#"{"code":"received_too_briefly"}"#, "near"),
    (#"{"code":"received_too_briefly","near":"hci0"}"#, "candidates"),
    (#"{"code":"adapter_missing"}"#, "near"),
    (#"{"code":"adapter_shared"}"#, "near"),
  ]

  @Test("a reason without context that its code requires is rejected", arguments: incomplete)
  func missing(json: String, key: String) throws {
    let error = #expect(throws: DecodingError.self) { try decode(json) }
    guard case .keyNotFound(let found, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.stringValue == key)
    #expect(context.debugDescription.contains("requires \(key), which is missing"))
  }

  @Test(
    "a reason with a stage that its code does not permit is rejected",
    arguments: [
      #"{"code":"never_received","stage":"save","seconds":1}"#,
      #"{"code":"connect_timed_out","stage":"write"}"#,
      #"{"code":"unknown_to_stack","stage":"write"}"#, #"{"code":"save_not_kept","stage":"write"}"#,
      #"{"code":"wrong_identity","stage":"write","identity":"minor 1"}"#,
      #"{"code":"not_received_after_save","stage":"save"}"#,
      #"{"code":"no_self_disconnect","stage":"verify"}"#,
      #"{"code":"foreign_settings","stage":"write","held":"x"}"#,
    ])
  func wrongStage(json: String) throws {
    let error = #expect(throws: DecodingError.self) { try decode(json) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.last?.stringValue == "stage")
    #expect(context.debugDescription.contains("possible in stage"))
  }

  @Test("two sightings of one address contradict each other, no fewer and no more", arguments: [0, 1, 3])
  func contradiction(count: Int) {
    let sighting = #"{"adapter":"C4:7C:8D:00:00:01"}"#
    func json(_ sightings: Int, of addresses: String) -> String {
      let all = [String](repeating: sighting, count: sightings).joined(separator: ",")
      return #"{"code":"contradictory_sightings","addresses":[\#(addresses)],"sightings":[\#(all)]}"#
    }
    let address = #""C4:7C:8D:00:00:02""#
    #expect(throws: DecodingError.self) { try decode(json(count, of: address)) }
    #expect(throws: DecodingError.self) { try decode(json(2, of: "")) }
    #expect(throws: Never.self) { try decode(json(2, of: address)) }
  }

  // MARK: Causes on the host

  @Test(
    "a reason keeps its context when a pause of the host is the cause",
    arguments: [
      .neverReceived(searchSeconds: 2), .connectTimedOut(seconds: 15), .linkLost(write),
      .attributeRejected(write, attError: 13), .refused(stage: .write, deviceText: "error:no"),
      .readBackMismatch(setting: "power", held: "power low"), .foreignSettings(held: held, .reading),
      .interrupted(.during(write)), .stackLost(.during(write)), .outOfSlots(FailedStep(.connect)),
    ] as [FailureReason])
  func paused(reason: FailureReason) {
    let paused = reason.causedByHostPause
    #expect(paused.code == .hostPaused)
    #expect(paused.stage == reason.stage && paused.setting == reason.setting)
    #expect(paused.seconds == reason.seconds && paused.attError == reason.attError)
    #expect(paused.deviceText == reason.deviceText && paused.stackText == reason.stackText)
    #expect(paused.held == reason.held)
  }

  @Test(
    "a reason without a stage is not attributed to a pause of the host",
    arguments: [
      .neverReceived(), .recordUnwritable(.idle()), .planOutdated,
    ] as [FailureReason])
  func noPause(reason: FailureReason) {
    #expect(reason.causedByHostPause == reason)
  }

  @Test(
    "a reason keeps its context when the loss of the adapter or stack is the cause",
    arguments: examples.map(\.reason))
  func lost(reason: FailureReason) {
    let isTheHosts: Set<FailureReason.Code> = [
      .connectFailed, .connectTimedOut, .linkLost, .stageTimedOut, .serviceMissing, .serviceAmbiguous,
      .stackError,
      .unknownToStack, .outOfSlots, .adapterLost, .stackLost, .pairingLost,
    ]
    #expect((reason.possibleHostLoss != nil) == isTheHosts.contains(reason.code))
    guard let loss = reason.possibleHostLoss else { return }
    let lost = FailureReason.stackLost(loss)
    #expect(lost.stage == reason.stage && lost.setting == reason.setting && lost.seconds == reason.seconds)
    #expect(lost.deviceText == reason.deviceText && lost.stackText == reason.stackText)
    #expect(lost.identity == reason.identity && lost.addresses == reason.addresses)
    #expect(lost.candidates == reason.candidates)
  }
}

@Suite("outcome after a failure") struct FailureOutcomeTests {
  @Test(
    "the outcome is unconfirmed whenever the device may have changed",
    arguments: [
      { .interrupted(.during($0)) }, { .recordUnwritable(.during($0)) },
      { .adapterLost(.during($0)) }, { .stackLost(.during($0)) },
    ] as [@Sendable (FailedStep) -> FailureReason])
  func possibleChange(ended: @Sendable (FailedStep) -> FailureReason) {
    #expect(ended(FailedStep(.verify)).outcome == .unconfirmed)
    #expect(ended(FailedStep(.write)).outcome != .unconfirmed)
  }

  @Test("a failure never leads to a success", arguments: FailureReasonTests.examples.map(\.reason))
  func noSuccess(reason: FailureReason) {
    #expect(!reason.outcome.isSuccess)
  }
}
