/// The stable name of a kind of finding, for documentation and programs. Frozen once released.
package enum DiagnosticCode: String, Hashable, Sendable, Codable, CaseIterable {
  // The file as text and as YAML.
  case fileUnreadable = "file-unreadable"
  case fileTooLarge = "file-too-large"
  case wrongEncoding = "wrong-encoding"
  case forbiddenCharacter = "forbidden-character"
  case tabIndentation = "tab-indentation"
  case yamlSyntax = "yaml-syntax"
  case duplicateKey = "duplicate-key"
  case keyNotText = "key-not-text"
  case typographicQuote = "typographic-quote"
  case yamlTag = "yaml-tag"
  case badAlias = "bad-alias"
  case severalDocuments = "several-documents"
  case documentTooLarge = "document-too-large"

  // Keys and values.
  case emptyManifest = "empty-manifest"
  case unknownKey = "unknown-key"
  case misplacedKey = "misplaced-key"
  case mergeKey = "merge-key"
  case missingKey = "missing-key"
  case wrongStructure = "wrong-structure"
  case missingValue = "missing-value"
  case notANumber = "not-a-number"
  case notADuration = "not-a-duration"
  case notAUUID = "not-a-uuid"
  case outOfRange = "out-of-range"
  case betweenSteps = "between-steps"
  case wrongLength = "wrong-length"
  case wrongByteLength = "wrong-byte-length"
  case controlCharacter = "control-character"
  case unknownValue = "unknown-value"
  case reservedUUID = "reserved-uuid"
  case badIdentifier = "bad-identifier"
  case noIdentifier = "no-identifier"
  case badAddress = "bad-address"
  case ambiguousText = "ambiguous-text"

  // WiFi.
  case badNetworkName = "bad-network-name"
  case unknownNetwork = "unknown-network"
  case badPassword = "bad-password"
  case badSecretSource = "bad-secret-source"
  case placeholderPassword = "placeholder-password"

  // Hosts and adapters.
  case badHost = "bad-host"
  case duplicateHost = "duplicate-host"
  case unknownHost = "unknown-host"
  case unknownFloor = "unknown-floor"
  case badAdapter = "bad-adapter"
  case duplicateAdapter = "duplicate-adapter"
  case unknownAdapter = "unknown-adapter"

  // Rooms.
  case noRooms = "no-rooms"
  case tooManyRooms = "too-many-rooms"
  case missingAddress = "missing-address"
  case missingSetting = "missing-setting"
  case duplicateRoom = "duplicate-room"
  case similarRoom = "similar-room"
  case duplicateIdentifier = "duplicate-identifier"
  case duplicateIdentity = "duplicate-identity"
  case duplicateAddress = "duplicate-address"
  case unsupportedKey = "unsupported-key"
  case unusedDefault = "unused-default"
  case neverMatched = "never-matched"
  case redundantHint = "redundant-hint"
  case registeredWithoutAddress = "registered-without-address"
  case proofFromAnyAddress = "proof-from-any-address"
  case contradictorySecurity = "contradictory-security"
  case guessableSecret = "guessable-secret"
  case timeoutTooShort = "timeout-too-short"
  case slowDevice = "slow-device"
  case suspiciousNumber = "suspicious-number"
  case suspiciousAddress = "suspicious-address"

  // Ranges, tables and further files.
  case badRange = "bad-range"
  case rangeValue = "range-value"
  case badTable = "bad-table"
  case assumedEncoding = "assumed-encoding"
  case unknownColumn = "unknown-column"
  case duplicateColumn = "duplicate-column"
  case includedKey = "included-key"
  case duplicateNetwork = "duplicate-network"

  // Family files.
  case badFamily = "bad-family"
  case duplicateFamily = "duplicate-family"
  case conflictingSetting = "conflicting-setting"
  case unencodableSetting = "unencodable-setting"
  case ambiguousFamily = "ambiguous-family"
}

extension DiagnosticCode {
  /// Meaning and remedy in one or two sentences, for the reference.
  package var explanation: String {
    switch self {
    case .fileUnreadable:
      "A file that the manifest names is not there or cannot be read. Its path is relative to the manifest."
    case .fileTooLarge: "The file is larger than a manifest or table may be. It is probably another file."
    case .wrongEncoding:
      "The file is not UTF-8. Save it as UTF-8. Export a spreadsheet as “CSV UTF-8”; a table in Windows-1252 is read, too."
    case .forbiddenCharacter: "The file contains a control character that YAML and tables do not allow."
    case .tabIndentation: "YAML is indented with spaces only."
    case .yamlSyntax: "The text is not YAML. The message says what was expected."
    case .duplicateKey: "A mapping contains a key twice. YAML readers differ about which of the two they use."
    case .keyNotText: "A key is a list or a mapping."
    case .typographicQuote:
      "Only \"…\" and '…' quote a text. Other quotation marks, which word processors write, would be part of it."
    case .yamlTag: "YAML tags (`!…`) have no meaning in a manifest. Quote a text that begins with `!`."
    case .badAlias:
      "An alias (`*name`) has no anchor (`&name`) before it, or is inside it. Quote a text that begins with `*`."
    case .severalDocuments: "A manifest is one YAML document."
    case .documentTooLarge:
      "The document is nested too deeply or has too many values, aliases counted in full."
    case .emptyManifest: "The manifest contains nothing. It needs at least `building` and `rooms`."
    case .unknownKey: "The key is unknown here. The message names the nearest known key."
    case .misplacedKey: "The key exists, but not at this place."
    case .mergeKey:
      "Merge keys (`<<`) are not supported. Put what rooms share under `defaults`, a floor or a group."
    case .missingKey: "A required key is missing."
    case .wrongStructure:
      "The value has the wrong structure: a single value, a list or a mapping was expected."
    case .missingValue: "A key has no value. Give it one, or leave the key out."
    case .notANumber:
      "A whole number in decimal digits was expected. `012`, `0x10` and `1e3` are refused, because YAML readers differ about them."
    case .notADuration: "A duration is a whole number and its unit, without space: `500ms`, `15s` or `2m`."
    case .notAUUID: "A UUID has 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12."
    case .outOfRange: "A number or duration is outside of the range that the device or the key takes."
    case .betweenSteps: "The device takes durations in steps, and this one is between two of them."
    case .wrongLength: "A text is empty, or longer than the device takes."
    case .wrongByteLength:
      "A text has too many or too few bytes in UTF-8. Letters beyond a–z take more than one byte each."
    case .controlCharacter: "A value contains a control character, such as a tab or a line break."
    case .unknownValue: "The key does not take this value."
    case .reservedUUID: "The UUID is the factory's, or all zeros. Make your own with `uuidgen`."
    case .badIdentifier: "An `id` has 1 to 64 characters of a–z, 0–9 and hyphens between them."
    case .noIdentifier:
      "There is no `id`, and none can be made from the name: it has no Latin letter or digit."
    case .badAddress:
      "A Bluetooth address has twelve hexadecimal digits: `C4:7C:8D:00:00:01`, `C4-7C-8D-00-00-01`, `C47C.8D00.0001` or `C47C8D000001`."
    case .ambiguousText:
      "Other YAML readers read this unquoted text as a number, a Boolean or a date. roboprov reads it as written. In quotes, every YAML reader does so."
    case .badNetworkName: "A network's name in the manifest cannot be empty, `none`, or a key of a network."
    case .unknownNetwork: "No network of this name is under `wifi`."
    case .badPassword: "A WiFi password has 8 to 63 bytes, or is a key of 64 hexadecimal digits."
    case .badSecretSource:
      "A password is a text, or exactly one of `{ env: NAME }`, `{ file: PATH }`, `{ command: [PROGRAM, …] }`, `{ prompt: true }`. What is on a device's label (`pop`, `username`) can come from `{ labels: FILE }`, too."
    case .placeholderPassword:
      "The password looks like a placeholder that was meant to be replaced. roboprov expands nothing in a password: it would be written as it is."
    case .badHost:
      "A host under `hosts` has a name of a–z, 0–9 and hyphens, which is no adapter's, and a destination of ssh."
    case .duplicateHost: "Two entries under `hosts` are for the same computer."
    case .unknownHost: "An adapter is that of a host, and no host of this name is under `hosts`."
    case .unknownFloor: "A host stands on a floor, and no room is on a floor of this name."
    case .badAdapter:
      "An entry under `adapters` is an adapter's name or address, or a name of your choice with its `address`."
    case .duplicateAdapter: "Two entries under `adapters` are for the same adapter."
    case .unknownAdapter:
      "This is neither an adapter's name or address nor a name under `adapters` or `hosts`."
    case .noRooms: "The manifest describes no room."
    case .tooManyRooms: "The manifest describes more rooms than a building may have."
    case .missingSetting: "A room lacks a setting that its device needs."
    case .missingAddress:
      "A room has no `address`, and `match` does not say how such a room gets its device."
    case .duplicateRoom:
      "Two rooms have the same name. They cannot be distinguished in reports or on the devices."
    case .similarRoom: "Two rooms have names that differ in case only."
    case .duplicateIdentifier: "Two rooms have the same `id`, given or made from their names."
    case .duplicateIdentity:
      "Two rooms would have the same identity on air: all settings that the devices send are the same."
    case .duplicateAddress: "Two rooms name the same device."
    case .unsupportedKey: "The room's device does not take this setting."
    case .unusedDefault: "No room in its scope takes this default. Check `profile`."
    case .neverMatched:
      "`match: any` never gives this room a device, because devices of its family do not show on air whether they are provisioned."
    case .redundantHint: "The room's address decides; the other hint has no effect."
    case .registeredWithoutAddress:
      "A registered room without an address is done when the beacon of any device with its identity is received, and any device can send that identity."
    case .proofFromAnyAddress:
      "With `proof: any_address` the beacon that proves a room may come from another device. Firmware that keeps its address does not need it."
    case .contradictorySecurity:
      "Only devices of security 2 have a `username`. With a lower `security` anyone who imitates the device could ask for a lower one."
    case .guessableSecret:
      "In security 1 whoever imitates a device once can try any number of texts for its `pop` afterwards, and with it receive the WiFi password. One with less than 80 random bits can be found so: 24 digits, 20 hexadecimal digits or 16 letters and digits have as many."
    case .timeoutTooShort: "A timeout is shorter than the device may take with these settings."
    case .slowDevice: "The setting is possible, but makes the device slow to find or to connect to."
    case .suspiciousNumber:
      "The number in the room's name and the one of its device do not agree, while those of nearly all other rooms do."
    case .suspiciousAddress:
      "The address belongs to another manufacturer's block than the addresses of nearly all other rooms."
    case .badRange:
      "A range of rooms is `{301..332}`, `{301..331..2}` or a list such as `{301..312,314}`, once in a name."
    case .rangeValue:
      "A range of rooms cannot share a value that belongs to one room, or its values do not fit."
    case .badTable:
      "The file is not a table of comma-separated values, or a row has more cells than the header."
    case .assumedEncoding:
      "The table is not UTF-8 and is read as Windows-1252, which spreadsheets write by default. A table in another encoding would give wrong names: check one with a letter beyond a–z."
    case .unknownColumn:
      "A column of the table is not a key of a room: map it under `columns`, or name it under `ignore`. Or the table does not have the column that `columns` or `ignore` names."
    case .duplicateColumn:
      "Two columns of the table give the same key."
    case .includedKey: "An included file may contain `wifi` only."
    case .duplicateNetwork: "Two files describe a network of the same name."
    case .badFamily:
      "The description of a family of devices contradicts itself, or lacks something that its other parts need."
    case .duplicateFamily: "A family with this id exists already, in the program or in another file."
    case .conflictingSetting:
      "The name of a setting means something else in manifests, or another family has a setting of this name with other values."
    case .unencodableSetting: "The encoding of a setting does not hold each of its values."
    case .ambiguousFamily:
      "Devices of this family are also recognised as those of another one. roboprov never writes a device that could be of two families."
    }
  }
}
