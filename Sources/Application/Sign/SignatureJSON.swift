package import FoundationEssentials
package import Reporting

/// `roboprov report check --output json`: the result of a successful check.
package enum CheckJSON {
  package static let schema = "roboprov/check/1"

  package static let form = OutputForm<
    (building: String, signature: String?, signed: Date?, files: [String])
  >(
    "check", "A building whose journals are complete and whose reports match them."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.building }
    Field(
      "signature",
      "The newest signature, which is valid, as ssh-keygen(1) describes it; null if there is none."
    ) {
      $0.signature
    }
    Field(
      "signed_at", "When it was signed, by the clock of the signer's host; null if there is no signature."
    ) {
      $0.signed
    }
    Field("files", "The files that were checked, relative to the building's folder.") { $0.files }
  }
}

/// `roboprov report sign --output json`: the signed files.
package enum SignatureJSON {
  package static let schema = "roboprov/signature/1"

  package static let form = OutputForm<(building: String, file: String, files: [String])>(
    "signature", "The files of a building that were signed."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.building }
    Field("file", "The file with the signature.") { $0.file }
    Field("files", "The signed files, relative to the building's folder.") { $0.files }
  }
}
