import Bluetooth
import Model
import RecordedText
import Testing

@testable import Session

@Suite("errors of the radio become reasons") struct FailureReasonTableTests {
  private static let codes: [CentralError.Code] =
    [
      .busUnavailable, .stackUnavailable, .permissionDenied, .peripheralUnknown, .connectFailed,
      .disconnected,
      .servicesUnresolved, .attributeMissing("2A00"), .attributeAmbiguous("2A00"), .att(0x0E), .notPermitted,
      .pairingRequired, .busy, .outOfSlots, .timedOut, .cancelled, .other,
    ] + CentralError.AdapterProblem.allCases.map { .adapterUnavailable($0) }
    + CentralError.PairingProblem.allCases.map { .pairing($0) }

  @Test("each error has its reason in each stage of an attempt")
  func table() throws {
    var lines = ""
    for code in Self.codes {
      for stage in Stage.allCases {
        let reason = FailureReason(CentralError(code, stackText: "said"), stage: stage, setting: .minor)
        lines += "\(code) in \(stage.rawValue): \(reason.code.rawValue), \(reason.stackText ?? "no text")\n"
      }
    }
    for stage in Stage.allCases {
      let reason = FailureReason(timeoutOf: stage, setting: .minor, seconds: 7)
      lines += "no end of \(stage.rawValue): \(reason.code.rawValue)\n"
    }
    try expectRecorded(lines, in: projectFile("Tests/Snapshots/Session/reasons.txt"))
  }
}
