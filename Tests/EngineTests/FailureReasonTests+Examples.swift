import Bluetooth
import Model
import Testing

extension FailureReasonTests {
  /// A reason and its JSON form.
  struct Example: Sendable, CustomTestStringConvertible {
    let reason: FailureReason
    let json: String

    init(_ reason: FailureReason, _ json: String) {
      self.reason = reason
      self.json = json
    }

    var testDescription: String { json }
  }

  private static let first: BluetoothAddress = Sample.address(1)
  static let held = "uuid 0D1E, major 1, minor 9"
  static let write = FailedStep(.write, setting: .minor, stackText: "busy")
  private static let writeJSON = #""setting":"minor","stack_text":"busy","stage":"write"}"#
  private static let heard = HeardCandidate(address: first, adapter: Sample.adapter, rssi: -71)
  private static let heardJSON = #"[{"adapter":"\#(Sample.adapter)","address":"\#(first)","rssi":-71}]"#
  private static let near = NearCandidates(near: "hci1", [heard])
  private static let others = OtherSenders(minor: 5, addresses: [first], candidates: [heard])
  private static let othersJSON = #"{"addresses":["\#(first)"],"candidates":\#(heardJSON),"code":"#
  private static let response = SaveResponse(deviceText: "error:no", stackText: "busy")

  /// Every code with all the context that it can have, and with the least.
  static let examples: [Example] = [
    Example(.neverHeard(), #"{"code":"never_heard"}"#),
    Example(.neverHeard(searchSeconds: 2.5), #"{"code":"never_heard","seconds":2.5,"stage":"search"}"#),
    Example(.adapterDeaf, #"{"code":"adapter_deaf"}"#),
    Example(.connectTimedOut(), #"{"code":"connect_timed_out","stage":"connect"}"#),
    Example(.connectTimedOut(seconds: 15), #"{"code":"connect_timed_out","seconds":15,"stage":"connect"}"#),
    Example(
      .connectTimedOut(stackText: "busy"),
      #"{"code":"connect_timed_out","stack_text":"busy","stage":"connect"}"#),
    Example(.connectFailed(FailedStep(.connect)), #"{"code":"connect_failed","stage":"connect"}"#),
    Example(
      .connectFailed(FailedStep(.connect, stackText: "busy")),
      #"{"code":"connect_failed","stack_text":"busy","stage":"connect"}"#),
    Example(.unknownToStack(), #"{"code":"unknown_to_stack","stage":"connect"}"#),
    Example(
      .unknownToStack(stackText: "gone"),
      #"{"code":"unknown_to_stack","stack_text":"gone","stage":"connect"}"#),
    Example(.linkLost(FailedStep(.ready)), #"{"code":"link_lost","stage":"ready"}"#),
    Example(.linkLost(write), #"{"code":"link_lost","# + writeJSON),
    Example(.stageTimedOut(FailedStep(.write)), #"{"code":"stage_timed_out","stage":"write"}"#),
    Example(.stageTimedOut(write), #"{"code":"stage_timed_out","# + writeJSON),
    Example(
      .stageTimedOut(FailedStep(.read, setting: .major), seconds: 10),
      #"{"code":"stage_timed_out","seconds":10,"setting":"major","stage":"read"}"#),
    Example(.serviceMissing(FailedStep(.discover)), #"{"code":"service_missing","stage":"discover"}"#),
    Example(.serviceMissing(write), #"{"code":"service_missing","# + writeJSON),
    Example(.attributeRejected(FailedStep(.write)), #"{"code":"attribute_rejected","stage":"write"}"#),
    Example(
      .attributeRejected(write, attError: 13), #"{"att_error":13,"code":"attribute_rejected","# + writeJSON),
    Example(
      .refused(stage: .save, deviceText: "error:no"),
      #"{"code":"refused","device_text":"error:no","stage":"save"}"#),
    Example(.saveNotKept, #"{"code":"save_not_kept","stage":"verify"}"#),
    Example(.wrongIdentity(minor: 9), #"{"code":"wrong_identity","minor":9,"stage":"verify"}"#),
    Example(
      .readBackMismatch(setting: "power", held: "power low"),
      #"{"code":"read_back_mismatch","held":"power low","setting":"power","stage":"read"}"#),
    Example(
      .foreignSettings(held: held, .reading),
      #"{"code":"foreign_settings","held":"\#(held)","stage":"read"}"#),
    Example(
      .foreignSettings(held: held, .beacon(minor: 9)),
      #"{"code":"foreign_settings","held":"\#(held)","minor":9}"#),
    Example(.noSelfDisconnect(), #"{"code":"no_self_disconnect","stage":"save"}"#),
    Example(
      .noSelfDisconnect(seconds: 3.5), #"{"code":"no_self_disconnect","seconds":3.5,"stage":"save"}"#),
    Example(.notHeardAfterSave(nil), #"{"code":"not_heard_after_save"}"#),
    Example(.notHeardAfterSave(SaveResponse()), #"{"code":"not_heard_after_save","stage":"verify"}"#),
    Example(
      .notHeardAfterSave(response),
      #"{"code":"not_heard_after_save","device_text":"error:no","stack_text":"busy","stage":"verify"}"#),
    Example(
      .heardFromOtherAddress(others, SaveResponse()),
      othersJSON + #""heard_from_other_address","minor":5,"stage":"verify"}"#),
    Example(
      .heardFromOtherAddress(others, SaveResponse(deviceText: "error:no")),
      othersJSON + #""heard_from_other_address","device_text":"error:no","minor":5,"stage":"verify"}"#),
    Example(.configuredOtherwise(minor: 9), #"{"code":"configured_otherwise","minor":9}"#),
    Example(
      .configuredOtherwise(minor: 9, held: held),
      #"{"code":"configured_otherwise","held":"\#(held)","minor":9}"#),
    Example(
      .minorOnAir(MinorHolders(9, [first])),
      #"{"addresses":["\#(first)"],"code":"minor_on_air","minor":9}"#),
    Example(
      .minorOnRecord(MinorHolders(9, [first])),
      #"{"addresses":["\#(first)"],"code":"minor_on_record","minor":9}"#),
    Example(.settingsChanged(minor: nil), #"{"code":"settings_changed"}"#),
    Example(.settingsChanged(minor: 9), #"{"code":"settings_changed","minor":9}"#),
    Example(.planOutdated, #"{"code":"plan_outdated"}"#),
    Example(
      .adapterClaimed(holder: "hci0: run r"), #"{"code":"adapter_claimed","stack_text":"hci0: run r"}"#),
    Example(.hostPaused(PausedStep(FailedStep(.connect))), #"{"code":"host_paused","stage":"connect"}"#),
    Example(
      .hostPaused(PausedStep(FailedStep(.write), .timeout(seconds: 10))),
      #"{"code":"host_paused","seconds":10,"stage":"write"}"#),
    Example(
      .hostPaused(PausedStep(write, .attError(13))), #"{"att_error":13,"code":"host_paused","# + writeJSON),
    Example(
      .hostPaused(PausedStep(FailedStep(.write), .deviceText("error:no"))),
      #"{"code":"host_paused","device_text":"error:no","stage":"write"}"#),
    Example(
      .hostPaused(PausedStep(FailedStep(.read, setting: "power"), .held("power low"))),
      #"{"code":"host_paused","held":"power low","setting":"power","stage":"read"}"#),
    Example(
      .tooManyCandidates([first]), #"{"addresses":["\#(first)"],"code":"too_many_candidates"}"#),
    Example(
      .tooManyCandidates([first], minor: 9),
      #"{"addresses":["\#(first)"],"code":"too_many_candidates","minor":9}"#),
    Example(.noCandidate(), #"{"code":"no_candidate"}"#),
    Example(.noCandidate(near: "hci1"), #"{"code":"no_candidate","near":"hci1"}"#),
    Example(.addressNeeded(heard: []), #"{"code":"address_needed"}"#),
    Example(.addressNeeded(heard: [first]), #"{"addresses":["\#(first)"],"code":"address_needed"}"#),
    Example(
      .notClearlyNearest(near),
      #"{"candidates":\#(heardJSON),"code":"not_clearly_nearest","near":"hci1"}"#),
    Example(.notNear(near), #"{"candidates":\#(heardJSON),"code":"not_near","near":"hci1"}"#),
    Example(
      .heardTooBriefly(near), #"{"candidates":\#(heardJSON),"code":"heard_too_briefly","near":"hci1"}"#),
    Example(.adapterMissing(near: "hci1"), #"{"code":"adapter_missing","near":"hci1"}"#),
    Example(.adapterShared(near: "hci1"), #"{"code":"adapter_shared","near":"hci1"}"#),
    Example(.notConfirmed, #"{"code":"not_confirmed"}"#),
    Example(.tooManyFailures, #"{"code":"too_many_failures"}"#),
    Example(.canariesFailed, #"{"code":"canaries_failed"}"#),
    Example(.canariesRefused, #"{"code":"canaries_refused"}"#),
    Example(.adapterLost(.idle()), #"{"code":"adapter_lost"}"#),
    Example(.adapterLost(.during(write)), #"{"code":"adapter_lost","# + writeJSON),
    Example(
      .adapterLost(.awaitingProof(UnprovedSave())), #"{"code":"adapter_lost","stage":"verify"}"#),
    Example(.stackLost(.idle(stackText: "busy")), #"{"code":"stack_lost","stack_text":"busy"}"#),
    Example(
      .stackLost(.during(FailedStep(.connect), seconds: 15)),
      #"{"code":"stack_lost","seconds":15,"stage":"connect"}"#),
    Example(
      .stackLost(.awaitingProof(UnprovedSave(response, others: others))),
      othersJSON
        + #""stack_lost","device_text":"error:no","minor":5,"stack_text":"busy","stage":"verify"}"#),
    Example(.outOfSlots(FailedStep(.connect)), #"{"code":"out_of_slots","stage":"connect"}"#),
    Example(.outOfSlots(write), #"{"code":"out_of_slots","# + writeJSON),
    Example(.interrupted(.idle), #"{"code":"interrupted"}"#),
    Example(.interrupted(.during(write)), #"{"code":"interrupted","# + writeJSON),
    Example(
      .interrupted(.awaitingProof(UnprovedSave(others: others))),
      othersJSON + #""interrupted","minor":5,"stage":"verify"}"#),
    Example(.recordUnwritable(.idle), #"{"code":"record_unwritable"}"#),
    Example(.recordUnwritable(.during(FailedStep(.save))), #"{"code":"record_unwritable","stage":"save"}"#),
    Example(
      .recordUnwritable(.awaitingProof(UnprovedSave(response))),
      #"{"code":"record_unwritable","device_text":"error:no","stack_text":"busy","stage":"verify"}"#),
    Example(.stackError(FailedStep(.discover)), #"{"code":"stack_error","stage":"discover"}"#),
    Example(.stackError(write), #"{"code":"stack_error","# + writeJSON),
  ]
}
