import Model

/// The language of family files as data.
extension Grammar {
  package static var family: MappingForm {
    mapping(
      "family",
      "A family of devices that roboprov provisions: how to recognise its devices, which settings they take and how, and what proves them.",
      Vocabulary.family,
      required: [
        "family", "title", "service", "access", "recognise", "settings", "characteristics", "proof",
      ]
    ) { key in
      switch key {
      case "family":
        ("The stable name, the `profile` of rooms. Records contain it: never change it.", .text(.slug))
      case "title": ("The name for people.", label)
      case "words": ("The words for messages about its devices.", .mapping(words))
      case "service": ("The service through which it is configured.", uuid)
      case "access":
        ("When it takes settings.", names(FamilyForm.Access.allCases.map { ($0.rawValue, $0.meaning) }))
      case "recognise":
        (
          "How to recognise its devices on air. The first rule that is met decides.",
          .list(of: .mapping(rule), canBeEmpty: false)
        )
      case "identity":
        ("Where its advertisements have the identity of a configured device.", .mapping(identity))
      case "settings":
        ("The settings, each under its name: a key of rooms.", .named([(.other, .mapping(setting))]))
      case "characteristics":
        (
          "The characteristics with settings, in the order of writing.",
          .list(of: .mapping(characteristic), canBeEmpty: false)
        )
      case "read_first":
        (
          "true: everything but a password is read before any write. A device with the settings of another room is then refused, and a setting that it has already is not written.",
          .truth
        )
      case "read_back": ("true: each written characteristic is read back at once, and compared.", .truth)
      case "status": ("The characteristic by which it reports its state.", .mapping(status))
      case "save":
        (
          "The command that makes it keep the settings. Without it each write takes effect by itself.",
          .mapping(save)
        )
      case "proof":
        (
          "What proves that it has its settings.",
          names(FamilyForm.Proof.allCases.map { ($0.rawValue, $0.meaning) })
        )
      case "timeouts":
        (
          "How long each stage of an attempt may take, unless the manifest says otherwise.",
          .mapping(timeouts)
        )
      default:
        ("The setting with the time between advertisements, if it makes the device slow.", .mapping(slowBy))
      }
    }
  }

  private static var words: MappingForm {
    mapping("words", "The words for messages about its devices; each is optional.", Vocabulary.familyWords) {
      key in
      let documentation =
        switch key {
        case "noun": "The noun: tag."
        case "make_it_wait":
          "How to put it into provisioning mode, to follow “and”: press its button for 3 s."
        case "still_waiting": "How to see that it is in provisioning mode: If its LED blinks."
        case "not_waiting": "How to see that it is not: If its LED does not blink."
        case "label": "A note about the address on its label, as a sentence."
        case "not_answering": "Further advice when a connection fails, as sentences."
        default: "Advice when its service is missing, as sentences."
        }
      return (documentation, .text(.label(1...500)))
    }
  }

  private static var rule: MappingForm {
    mapping(
      "rule", "An advertisement in one state: it meets every condition of the rule.", Vocabulary.rule,
      required: ["state"]
    ) {
      key in
      switch key {
      case "state":
        ("The state of such a device.", names(FamilyForm.State.allCases.map { ($0.rawValue, $0.meaning) }))
      case "name": ("The complete local name.", label)
      case "name_prefix": ("The beginning of the local name.", label)
      case "service": ("A service that it advertises.", uuid)
      case "service_data": ("It sends service data of this service.", uuid)
      case "manufacturer": ("It sends manufacturer data of this company.", company)
      case "starts": ("How that service or manufacturer data begins, in hex digits.", hex)
      default: ("Its identity.", names(FamilyForm.Identity.allCases.map { ($0.rawValue, $0.meaning) }))
      }
    }
  }

  private static var identity: MappingForm {
    mapping(
      "identity", "Where an advertisement has the identity, and which settings are its parts.",
      Vocabulary.identity
    ) { key in
      switch key {
      case "ibeacon":
        (
          "An iBeacon, with the settings in it.",
          .mapping(
            mapping(
              "ibeacon", "The settings in the beacon.", Vocabulary.beaconParts,
              required: Vocabulary.beaconParts
            ) {
              ("The setting that is its \($0).", .text(.any))
            })
        )
      case "manufacturer": ("It is in manufacturer data of this company.", company)
      case "service_data": ("It is in service data of this service.", uuid)
      case "starts": ("The bytes before its parts, in hex digits.", hex)
      case "parts":
        (
          "Its settings and their encodings, in the order of the bytes. The last one tells the rooms apart.",
          encodings
        )
      default: ("The number of bytes after the parts.", .integer(0...16))
      }
    }
  }

  private static var setting: MappingForm {
    mapping("setting", "A setting of its devices.", Vocabulary.setting, required: ["type"]) { key in
      switch key {
      case "type": ("Its values.", names(FamilyForm.Kind.allCases.map { ($0.rawValue, $0.meaning) }))
      case "range":
        ("The least and the largest value: 0..65535, or 100ms..40s.", .text(.matching("^.+\\.\\..+$")))
      case "bytes":
        ("The least and the largest length in bytes: 1..32.", .text(.matching("^[0-9]+\\.\\.[0-9]+$")))
      case "step": ("The unit of a duration: 1ms, 625us.", .text(.matching("^[0-9]+(us|ms|s|m)$")))
      case "values":
        (
          "The choices, each with its code.",
          .named([
            (
              .other,
              .either([
                .integer(0...65535),
                .mapping(
                  mapping("choice", "A choice.", Vocabulary.choice, required: ["code"]) {
                    $0 == "code"
                      ? ("The encoded value.", .integer(0...65535)) : ("Its meaning: -23 dBm.", label)
                  }),
              ])
            )
          ])
        )
      case "title": ("Its name for people, to follow “the”: minor ID.", label)
      case "short": ("Its short name for people, before a value: minor.", label)
      case "about": ("Its meaning in one sentence.", .text(.label(1...500)))
      case "optional": ("true: a room need not give it. It is then not written.", .truth)
      case "shared": ("true: rooms may have the same value, so it can be under `defaults`.", .truth)
      case "written": ("false: the firmware decides it; only `beacon_uuid` and `beacon_major`.", .truth)
      default: ("The value of a device that nobody configured.", .text(.any))
      }
    }
  }

  private static var characteristic: MappingForm {
    mapping(
      "characteristic", "A characteristic, and the settings in its value.", Vocabulary.characteristic,
      required: ["uuid", "holds"]
    ) {
      key in
      switch key {
      case "uuid": ("Its UUID.", uuid)
      case "title": ("Its name for people.", label)
      case "holds": ("Its settings and their encodings, in the order of the bytes.", encodings)
      default: ("false: its writes are not confirmed.", .truth)
      }
    }
  }

  private static var status: MappingForm {
    mapping(
      "status", "What the device reports. A value is text, or 0x and hex digits.", Vocabulary.status,
      required: ["characteristic"]
    ) {
      key in
      switch key {
      case "characteristic": ("The characteristic; it is notified or read.", uuid)
      case "ready": ("The value before anything is written.", .text(.something))
      case "needs_ready":
        (
          "true: nothing is written without `ready`. Otherwise the attempt continues after the timeout.",
          .truth
        )
      case "saved": ("The value by which it says that it has its settings.", .text(.something))
      default:
        (
          "The beginning of the values that mean a refusal: one, or a list.",
          .either([.text(.something), .list(of: .text(.something), canBeEmpty: false)])
        )
      }
    }
  }

  private static var save: MappingForm {
    mapping(
      "save", "A command. Its value is text, or 0x and hex digits.", Vocabulary.save,
      required: Vocabulary.save
    ) {
      $0 == "write" ? ("The value to write.", .text(.something)) : ("The characteristic.", uuid)
    }
  }

  private static var slowBy: MappingForm {
    mapping(
      "slow_by", "How long a stage may take: a number of intervals, and 5 s more.", Vocabulary.slowBy,
      required: ["setting"]
    ) {
      $0 == "setting"
        ? ("The setting; its type is `duration`.", .text(.any))
        : ("The number of intervals.", .integer(1...20))
    }
  }

  private static var timeouts: MappingForm { Grammar(FamilyCatalogue()).timeouts }

  // MARK: Values

  private static var label: ValueForm { .text(.label(ManifestLimits.label)) }
  /// An editor takes some hex digits for a number.
  private static var uuid: ValueForm {
    .either([
      .text(.matching("^([0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[0-9A-Fa-f]{4})$")),
      .integer(1000...9999),
    ])
  }
  private static var company: ValueForm { .text(.matching("^0x[0-9A-Fa-f]{1,4}$")) }
  private static var hex: ValueForm {
    .either([.text(.matching("^([0-9A-Fa-f]{2}){1,32}$")), .integer(10...99_999_999)])
  }
  private static var encodings: ValueForm {
    .named([(.other, names(FamilyForm.Encoding.allCases.map { ($0.rawValue, $0.meaning) }))])
  }

  private static func names(_ all: [(String, String)]) -> ValueForm {
    .names(all.map { (name: $0.0, meaning: $0.1) })
  }

  private static func mapping(
    _ name: String, _ documentation: String, _ keys: [String], required: [String] = [],
    _ describe: (String) -> (String, ValueForm)
  ) -> MappingForm {
    MappingForm(
      name: name, documentation: documentation,
      keys: keys.map { key in
        let (documentation, value) = describe(key)
        return .init(name: key, documentation: documentation, value: value)
      }, required: required)
  }
}
