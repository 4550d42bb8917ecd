import Model

extension FailureReason {
  /// The schema of the flat form of a reason: each code with the context that it always has.
  static let schemaOfForm: ObjectSchema = {
    var schema = SchemaReader.object(Form.self)
    schema.conditions = context.map { required, codes in
      .init(key: "code", values: codes.map(\.rawValue), required: required)
    }
    return schema
  }()

  /// The keys that reasons with these codes have in every stage (`FailureReason+Reading.swift`).
  private static let context: [([String], [Code])] = [
    (
      ["stage"],
      [
        .connectTimedOut, .connectFailed, .unknownToStack, .linkLost, .stageTimedOut, .serviceMissing,
        .serviceAmbiguous, .attributeRejected, .pairingRequired, .credentialsRefused, .saveNotKept,
        .noSelfDisconnect, .hostPaused, .outOfSlots, .stackError,
      ]
    ),
    (["stage", "device_text"], [.refused]),
    (["stage", "cause", "device_text"], [.wifiRefused]),
    (["stage", "identity"], [.wrongIdentity]),
    (["stage", "setting", "held"], [.readBackMismatch]),
    (["held"], [.foreignSettings]),
    (["stage", "held"], [.securityTooLow]),
    (["stage", "setting"], [.settingUnsupported]),
    (["stage", "ssid", "networks"], [.networkNotReceived]),
    (["stage", "identity", "addresses", "candidates"], [.receivedFromOtherAddress]),
    (["identity"], [.beaconAsBefore, .configuredOtherwise]),
    (["addresses", "sightings"], [.contradictorySightings]),
    (["identity", "addresses"], [.identityOnAir, .identityOnRecord]),
    (["stack_text"], [.adapterClaimed, .contentHidden]),
    (["addresses"], [.tooManyCandidates]),
    (["candidates", "near"], [.notClearlyNearest, .notNear, .receivedTooBriefly]),
    (["families"], [.ambiguousFamily]),
    (["near"], [.adapterMissing, .adapterShared]),
  ]
}
